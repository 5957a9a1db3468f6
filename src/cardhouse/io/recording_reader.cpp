#include "cardhouse/io/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/base/error.h"
#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/io/recording_tables.h"

namespace cardhouse {
namespace {

Vec3 vec3_at(const std::vector<double>& values, std::size_t row) {
  return {values[3 * row], values[3 * row + 1], values[3 * row + 2]};
}

Quat quat_at(const std::vector<double>& values, std::size_t row) {
  return {values[4 * row], values[4 * row + 1], values[4 * row + 2], values[4 * row + 3]};
}

void check_format(const Hdf5File& file) {
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != recording_format::name) {
    throw InputError(file.name() + ": an HDF5 file, but not a cardhouse recording");
  }
  const std::int64_t version = file.integer_attribute("/", "format_version");
  if (version < recording_format::plain_version || version > recording_format::version) {
    throw InputError(
        fmt::format("{}: format_version = {}: this program reads versions {} and {}; use the cardhouse that made it",
                    file.name(), version, recording_format::plain_version, recording_format::version));
  }
}

/// The bodies' part of a row of /frames or /checkpoints.
std::vector<BodyState> read_bodies(const Hdf5File& file, const std::string& group, std::int64_t row,
                                   std::size_t bodies) {
  if (bodies == 0) return {};
  const auto column = [&](const char* name, std::size_t width) {
    const Hdf5Dataset& dataset = file.dataset(group + name);
    if (dataset.row_elements() != static_cast<std::int64_t>(bodies * width)) {
      throw InputError(fmt::format("{}: {}{} has another shape than {} bodies need: the file is damaged", file.name(),
                                   group, name, bodies));
    }
    return dataset.read<double>(row, 1);
  };
  const std::vector<double> position = column("position", 3);
  const std::vector<double> orientation = column("orientation", 4);
  const std::vector<double> linear = column("linear_velocity", 3);
  const std::vector<double> angular = column("angular_velocity", 3);
  std::vector<BodyState> states(bodies);
  for (std::size_t i = 0; i < bodies; ++i) {
    states[i] = {{vec3_at(position, i), quat_at(orientation, i)}, vec3_at(linear, i), vec3_at(angular, i)};
  }
  return states;
}

std::vector<Pose> read_initial_poses(const Hdf5File& file, std::int64_t row, std::size_t bodies) {
  if (bodies == 0) return {};
  const std::vector<double> position = file.dataset("/checkpoints/initial_position").read<double>(row, 1);
  const std::vector<double> orientation = file.dataset("/checkpoints/initial_orientation").read<double>(row, 1);
  if (position.size() != 3 * bodies || orientation.size() != 4 * bodies) {
    throw InputError(file.name() + ": /checkpoints/initial_position has a wrong shape: the file is damaged");
  }
  std::vector<Pose> poses(bodies);
  for (std::size_t i = 0; i < bodies; ++i) poses[i] = {vec3_at(position, i), quat_at(orientation, i)};
  return poses;
}

std::vector<StoredImpulse> read_impulses(const Hdf5File& file, std::int64_t row) {
  const std::string group = "/checkpoints/impulses/";
  const std::int64_t start = file.dataset("/checkpoints/impulse_start").read<std::int64_t>(row, 1).front();
  const std::int64_t count = file.dataset("/checkpoints/impulse_count").read<std::int64_t>(row, 1).front();
  const auto shape_a = file.dataset(group + "shape_a").read<std::int32_t>(start, count);
  const auto shape_b = file.dataset(group + "shape_b").read<std::int32_t>(start, count);
  const auto feature = file.dataset(group + "feature").read<std::uint32_t>(start, count);
  const auto impulse = file.dataset(group + "impulse").read<double>(start, count);
  std::vector<StoredImpulse> impulses(shape_a.size());
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    impulses[i] = {{shape_a[i], shape_b[i], feature[i], 0}, vec3_at(impulse, i), Vec3::Zero()};
  }
  if (file.has(group + "turning")) {
    const auto turning = file.dataset(group + "turning").read<double>(start, count);
    for (std::size_t i = 0; i < impulses.size(); ++i) impulses[i].turning = vec3_at(turning, i);
  }
  return impulses;
}

/// The columns of /contacts for some rows.
struct ContactColumns {
  ContactColumns(const Hdf5File& file, std::int64_t first, std::int64_t count)
      : body_a(read<std::int32_t>(file, "body_a", first, count)),
        body_b(read<std::int32_t>(file, "body_b", first, count)),
        shape_a(read<std::int32_t>(file, "shape_a", first, count)),
        shape_b(read<std::int32_t>(file, "shape_b", first, count)),
        island(read<std::int32_t>(file, "island", first, count)),
        feature(read<std::uint32_t>(file, "feature", first, count)),
        point(read<double>(file, "point", first, count)),
        normal(read<double>(file, "normal", first, count)),
        impulse(read<double>(file, "impulse", first, count)),
        velocity(read<double>(file, "velocity", first, count)),
        gap(read<double>(file, "gap", first, count)),
        mu(read<double>(file, "mu", first, count)),
        residual(read<double>(file, "residual", first, count)),
        mode(read<std::uint8_t>(file, "mode", first, count)) {
    if (file.has("/contacts/painleve_ratio")) painleve_ratio = read<double>(file, "painleve_ratio", first, count);
    if (file.has("/contacts/turning")) turning = read<double>(file, "turning", first, count);
  }

  template <typename T>
  static std::vector<T> read(const Hdf5File& file, const std::string& name, std::int64_t first, std::int64_t count) {
    return file.dataset("/contacts/" + name).read<T>(first, count);
  }

  ContactRecord record(std::size_t i) const {
    return {{shape_a[i], shape_b[i], feature[i], 0},
            body_a[i],
            body_b[i],
            island[i],
            vec3_at(point, i),
            vec3_at(normal, i),
            vec3_at(impulse, i),
            vec3_at(velocity, i),
            gap[i],
            mu[i],
            residual[i],
            ContactMode{mode[i]},
            painleve_ratio.empty() ? 0.0 : painleve_ratio[i],
            turning.empty() ? Vec3(0.0, 0.0, 0.0) : vec3_at(turning, i)};
  }

  std::vector<std::int32_t> body_a, body_b, shape_a, shape_b, island;
  std::vector<std::uint32_t> feature;
  std::vector<double> point, normal, impulse, velocity, gap, mu, residual;
  std::vector<double> painleve_ratio;  ///< of runs that diagnose their problems
  std::vector<double> turning;         ///< of scenes with rolling or torsional friction
  std::vector<std::uint8_t> mode;
};

/// One row of a joints' dataset, `width` numbers per joint.
std::vector<double> joint_row(const Hdf5File& file, const std::string& path, std::int64_t row, std::size_t joints,
                              std::size_t width) {
  const Hdf5Dataset& dataset = file.dataset(path);
  if (dataset.row_elements() != static_cast<std::int64_t>(joints * width)) {
    throw InputError(
        fmt::format("{}: {} has another shape than {} joints need: the file is damaged", file.name(), path, joints));
  }
  return dataset.read<double>(row, 1);
}

std::vector<JointRecord> read_joints(const Hdf5File& file, std::int64_t row, std::size_t joints) {
  const auto column = [&](const char* name, std::size_t width) {
    return joint_row(file, std::string("/joints/") + name, row, joints, width);
  };
  std::vector<JointRecord> records(joints);
  if (joints == 0) return records;
  const std::vector<double> point = column("point", 3);
  const std::vector<double> impulse = column("impulse", 3);
  const std::vector<double> torque = column("torque", 3);
  const std::vector<double> drive = column("drive", most_joint_coordinates);
  const std::vector<double> coordinate = column("coordinate", most_joint_coordinates);
  const std::vector<double> violation = column("violation", 1);
  const std::vector<double> angle_violation = column("angle_violation", 1);
  const std::vector<double> residual = column("residual", 1);
  for (std::size_t j = 0; j < joints; ++j) {
    JointRecord& record = records[j];
    record.point = vec3_at(point, j);
    record.impulse = vec3_at(impulse, j);
    record.torque = vec3_at(torque, j);
    for (std::size_t c = 0; c < most_joint_coordinates; ++c) {
      record.drive[c] = drive[most_joint_coordinates * j + c];
      record.coordinate[c] = coordinate[most_joint_coordinates * j + c];
    }
    record.violation = {violation[j], angle_violation[j]};
    record.residual = residual[j];
  }
  return records;
}

std::vector<JointState> read_joint_states(const Hdf5File& file, std::int64_t row, std::size_t joints) {
  std::vector<JointState> states(joints);
  if (joints == 0) return states;
  const auto coordinate = joint_row(file, "/checkpoints/joint_coordinate", row, joints, most_joint_coordinates);
  const auto impulse = joint_row(file, "/checkpoints/joint_impulse", row, joints, JointState::slots);
  for (std::size_t j = 0; j < joints; ++j) {
    std::copy_n(coordinate.begin() + static_cast<std::ptrdiff_t>(j * most_joint_coordinates), most_joint_coordinates,
                states[j].coordinate.begin());
    std::copy_n(impulse.begin() + static_cast<std::ptrdiff_t>(j * JointState::slots), JointState::slots,
                states[j].impulse.begin());
  }
  return states;
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values)
    most = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::max(most, value);
  return most;
}

}  // namespace

struct RecordingReader::Impl {
  explicit Impl(const std::filesystem::path& path) : file(Hdf5File::open(path)) {
    check_format(file);
    bodies = static_cast<std::size_t>(file.dataset("/bodies/name").rows());
    if (file.has("/joints")) joints = static_cast<std::size_t>(file.dataset("/joints/name").rows());
    frames = file.dataset("/frames/step").rows();
    steps = file.dataset("/steps/step").rows();
    checkpoints = file.dataset("/checkpoints/step").rows();
    if (frames == 0 || checkpoints == 0) throw InputError(file.name() + ": holds no frame: the run never began");
  }

  Hdf5File file;
  std::size_t bodies = 0;
  std::size_t joints = 0;
  std::int64_t frames = 0;
  std::int64_t steps = 0;
  std::int64_t checkpoints = 0;
};

RecordingReader::RecordingReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;

std::string RecordingReader::scene_text() const {
  return impl_->file.read_text("/scene");
}

std::int64_t RecordingReader::frames() const {
  return impl_->frames;
}

std::int64_t RecordingReader::steps() const {
  return impl_->steps;
}

RecordedFrame RecordingReader::frame(std::int64_t index) const {
  const Hdf5File& file = impl_->file;
  RecordedFrame frame;
  frame.step = file.dataset("/frames/step").read<std::int64_t>(index, 1).front();
  frame.time = file.dataset("/frames/time").read<double>(index, 1).front();
  frame.bodies = read_bodies(file, "/frames/", index, impl_->bodies);
  const std::int64_t start = file.dataset("/frames/contact_start").read<std::int64_t>(index, 1).front();
  const std::int64_t count = file.dataset("/frames/contact_count").read<std::int64_t>(index, 1).front();
  const ContactColumns contacts(file, start, count);
  for (std::size_t i = 0; i < contacts.mode.size(); ++i) frame.contacts.push_back(contacts.record(i));
  frame.joints = read_joints(file, index, impl_->joints);
  return frame;
}

std::vector<double> RecordingReader::step_column(const std::string& name, std::int64_t first,
                                                 std::int64_t count) const {
  return impl_->file.dataset("/steps/" + name).read<double>(first, count);
}

std::vector<RecordedReason> RecordingReader::reasons() const {
  const Hdf5Dataset& steps = impl_->file.dataset("/uncertified/step");
  const std::vector<std::int64_t> step = steps.read<std::int64_t>(0, steps.rows());
  const std::vector<std::string> text = impl_->file.dataset("/uncertified/reason").read_text(0, steps.rows());
  std::vector<RecordedReason> reasons;
  for (std::size_t i = 0; i < step.size(); ++i) reasons.push_back({step[i], text[i]});
  return reasons;
}

std::vector<std::int64_t> RecordingReader::checkpoint_steps() const {
  return impl_->file.dataset("/checkpoints/step").read<std::int64_t>(0, impl_->checkpoints);
}

State RecordingReader::checkpoint(std::int64_t step) const {
  const Hdf5File& file = impl_->file;
  const std::vector<std::int64_t> all = checkpoint_steps();
  const std::int64_t last_step =
      impl_->steps == 0 ? all.back() : file.dataset("/steps/step").read<std::int64_t>(impl_->steps - 1, 1).front();
  if (step < all.front() || step > last_step) {
    throw InputError(fmt::format("{}: step {} is not in this recording: must be in {} … {}", file.name(), step,
                                 all.front(), last_step));
  }
  const std::int64_t row = std::upper_bound(all.begin(), all.end(), step) - all.begin() - 1;
  State state;
  state.step = all[static_cast<std::size_t>(row)];
  state.time = file.dataset("/checkpoints/time").read<double>(row, 1).front();
  state.bodies = read_bodies(file, "/checkpoints/", row, impl_->bodies);
  state.initial_poses = read_initial_poses(file, row, impl_->bodies);
  state.impulses = read_impulses(file, row);
  state.joints = read_joint_states(file, row, impl_->joints);
  if (file.has("/checkpoints/previous")) {
    state.previous = read_bodies(file, "/checkpoints/previous/", row, impl_->bodies);
    // All of them or none: only the first step of a run has none before it.
    if (!state.previous.empty() && !state.previous.front().pose.position.allFinite()) state.previous.clear();
  }
  if (file.has("/checkpoints/next_step")) {
    state.next_step = file.dataset("/checkpoints/next_step").read<double>(row, 1).front();
  }
  return state;
}

RecordingInfo RecordingReader::info() const {
  const Hdf5File& file = impl_->file;
  RecordingInfo info;
  info.format_version = static_cast<int>(file.integer_attribute("/", "format_version"));
  info.scene_name = file.text_attribute("/", "scene");
  info.scene_text = scene_text();
  info.solver = file.text_attribute("/", "solver");
  info.step = file.real_attribute("/", "step");
  info.tolerance = file.real_attribute("/", "tolerance");
  if (file.has_attribute("/", "max_seconds")) info.max_seconds = file.real_attribute("/", "max_seconds");
  info.frames_per_second = file.real_attribute("/", "frames_per_second");
  info.bodies = static_cast<int>(impl_->bodies);
  info.steps = impl_->steps;
  info.frames = impl_->frames;
  info.first_step = file.dataset("/frames/step").read<std::int64_t>(0, 1).front();
  if (info.steps > 0) {
    const double start = file.dataset("/frames/time").read<double>(0, 1).front();
    info.duration = step_column("time", info.steps - 1, 1).front() - start;
  }
  info.max_residual = largest(step_column("residual", 0, info.steps));
  info.max_contacts = static_cast<int>(largest(step_column("contacts", 0, info.steps)));
  const std::vector<double> certified = step_column("certified", 0, info.steps);
  info.uncertified_steps = std::count(certified.begin(), certified.end(), 0.0);
  info.diagnosed = file.has("/steps/subspace_angle");
  info.finished = file.has_attribute("/", "finished");
  if (file.has_attribute("/", "ended")) info.ended = file.text_attribute("/", "ended");
  info.checkpoint_steps = checkpoint_steps();
  return info;
}

RecordingInfo read_recording_info(const std::filesystem::path& file) {
  return RecordingReader(file).info();
}

State read_checkpoint(const std::filesystem::path& file, std::int64_t step) {
  return RecordingReader(file).checkpoint(step);
}

}  // namespace cardhouse
