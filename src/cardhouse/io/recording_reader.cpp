#include "cardhouse/io/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
        fmt::format("{}: format_version = {}: this program reads versions {} to {}; use the cardhouse that made it",
                    file.name(), version, recording_format::plain_version, recording_format::version));
  }
}

/// Rows of a dataset that must have `width` numbers in each: a damaged file may say otherwise.
template <typename T>
std::vector<T> rows_of(const Hdf5File& file, const std::string& path, std::int64_t first, std::int64_t count,
                       std::size_t width = 1) {
  const Hdf5Dataset& dataset = file.dataset(path);
  if (dataset.row_elements() != static_cast<std::int64_t>(width)) {
    throw InputError(
        fmt::format("{}: {} has rows of another size than {}: the file is damaged", file.name(), path, width));
  }
  return dataset.read<T>(first, count);
}

template <typename T>
T value_at(const Hdf5File& file, const std::string& path, std::int64_t row) {
  return rows_of<T>(file, path, row, 1).front();
}

/// A time, or another number that must be one.
double finite_at(const Hdf5File& file, const std::string& path, std::int64_t row) {
  const double value = value_at<double>(file, path, row);
  if (std::isfinite(value)) return value;
  throw InputError(fmt::format("{}: {}[{}] = {}: must be finite: the file is damaged", file.name(), path, row, value));
}

/// The steps that the rows of a table are of: from 0 on, each later than the one before.
std::vector<std::int64_t> steps_of(const Hdf5File& file, const std::string& path) {
  constexpr std::int64_t most = 1'000'000'000'000'000;  // as many as a run may take
  std::vector<std::int64_t> steps = rows_of<std::int64_t>(file, path, 0, file.dataset(path).rows());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t least = i == 0 ? 0 : steps[i - 1] + 1;
    if (steps[i] >= least && steps[i] <= most) continue;
    throw InputError(fmt::format("{}: {}[{}] = {}: must be from {} to {}: the file is damaged", file.name(), path, i,
                                 steps[i], least, most));
  }
  return steps;
}

double checked_attribute(const Hdf5File& file, const std::string& name, double least) {
  const double value = file.real_attribute("/", name);
  if (value >= least && std::isfinite(value)) return value;
  throw InputError(
      fmt::format("{}: {} = {}: must be finite and at least {}: the file is damaged", file.name(), name, value, least));
}

/// The nodes' part of a row; `nodes`: how many each body has, empty when none has any.
void read_nodes(const Hdf5File& file, const std::string& group, std::int64_t row,
                const std::vector<std::int32_t>& nodes, std::vector<BodyState>& states) {
  if (nodes.empty()) return;
  const auto all = static_cast<std::size_t>(std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0}));
  const auto position = rows_of<double>(file, group + "node_position", row, 1, 3 * all);
  const auto velocity = rows_of<double>(file, group + "node_velocity", row, 1, 3 * all);
  std::size_t first = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto count = 3 * static_cast<std::size_t>(nodes[i]);
    states[i].nodes = Eigen::Map<const VecX>(position.data() + first, static_cast<Eigen::Index>(count));
    states[i].node_velocities = Eigen::Map<const VecX>(velocity.data() + first, static_cast<Eigen::Index>(count));
    first += count;
  }
}

/// The bodies' part of a row of /frames or /checkpoints.
std::vector<BodyState> read_bodies(const Hdf5File& file, const std::string& group, std::int64_t row, std::size_t bodies,
                                   const std::vector<std::int32_t>& nodes) {
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
  read_nodes(file, group, row, nodes, states);
  return states;
}

std::vector<Pose> read_initial_poses(const Hdf5File& file, std::int64_t row, std::size_t bodies) {
  if (bodies == 0) return {};
  const auto position = rows_of<double>(file, "/checkpoints/initial_position", row, 1, 3 * bodies);
  const auto orientation = rows_of<double>(file, "/checkpoints/initial_orientation", row, 1, 4 * bodies);
  std::vector<Pose> poses(bodies);
  for (std::size_t i = 0; i < bodies; ++i) poses[i] = {vec3_at(position, i), quat_at(orientation, i)};
  return poses;
}

std::vector<StoredImpulse> read_impulses(const Hdf5File& file, std::int64_t row) {
  const std::string group = "/checkpoints/impulses/";
  const auto start = value_at<std::int64_t>(file, "/checkpoints/impulse_start", row);
  const auto count = value_at<std::int64_t>(file, "/checkpoints/impulse_count", row);
  const auto shape_a = rows_of<std::int32_t>(file, group + "shape_a", start, count);
  const auto shape_b = rows_of<std::int32_t>(file, group + "shape_b", start, count);
  const auto feature = rows_of<std::uint64_t>(file, group + "feature", start, count);
  const auto impulse = rows_of<double>(file, group + "impulse", start, count, 3);
  std::vector<StoredImpulse> impulses(shape_a.size());
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    impulses[i] = {{shape_a[i], shape_b[i], feature[i]}, vec3_at(impulse, i), Vec3::Zero()};
  }
  if (file.has(group + "turning")) {
    const auto turning = rows_of<double>(file, group + "turning", start, count, 3);
    for (std::size_t i = 0; i < impulses.size(); ++i) impulses[i].turning = vec3_at(turning, i);
  }
  return impulses;
}

/// Recordings of earlier versions have none.
std::vector<KeptOverlap> read_overlaps(const Hdf5File& file, std::int64_t row) {
  const std::string group = "/checkpoints/overlaps/";
  if (!file.has("/checkpoints/overlaps")) return {};
  const auto start = value_at<std::int64_t>(file, "/checkpoints/overlap_start", row);
  const auto count = value_at<std::int64_t>(file, "/checkpoints/overlap_count", row);
  const auto shape_a = rows_of<std::int32_t>(file, group + "shape_a", start, count);
  const auto shape_b = rows_of<std::int32_t>(file, group + "shape_b", start, count);
  const auto depth = rows_of<double>(file, group + "depth", start, count);
  std::vector<KeptOverlap> overlaps(shape_a.size());
  for (std::size_t i = 0; i < overlaps.size(); ++i) overlaps[i] = {shape_a[i], shape_b[i], depth[i]};
  return overlaps;
}

/// The columns of /contacts for some rows.
struct ContactColumns {
  ContactColumns(const Hdf5File& file, std::int64_t first, std::int64_t count)
      : body_a(read<std::int32_t>(file, "body_a", first, count)),
        body_b(read<std::int32_t>(file, "body_b", first, count)),
        shape_a(read<std::int32_t>(file, "shape_a", first, count)),
        shape_b(read<std::int32_t>(file, "shape_b", first, count)),
        island(read<std::int32_t>(file, "island", first, count)),
        feature(read<std::uint64_t>(file, "feature", first, count)),
        point(read<double>(file, "point", first, count, 3)),
        normal(read<double>(file, "normal", first, count, 3)),
        impulse(read<double>(file, "impulse", first, count, 3)),
        velocity(read<double>(file, "velocity", first, count, 3)),
        gap(read<double>(file, "gap", first, count)),
        mu(read<double>(file, "mu", first, count)),
        residual(read<double>(file, "residual", first, count)),
        mode(read<std::uint8_t>(file, "mode", first, count)) {
    if (file.has("/contacts/painleve_ratio")) painleve_ratio = read<double>(file, "painleve_ratio", first, count);
    if (file.has("/contacts/turning")) turning = read<double>(file, "turning", first, count, 3);
  }

  template <typename T>
  static std::vector<T> read(const Hdf5File& file, const std::string& name, std::int64_t first, std::int64_t count,
                             std::size_t width = 1) {
    return rows_of<T>(file, "/contacts/" + name, first, count, width);
  }

  /// What is used as an index or a choice must be one.
  void check(const Hdf5File& file, std::size_t bodies) const {
    const auto is_body = [&](std::int32_t body) { return body >= 0 && static_cast<std::size_t>(body) < bodies; };
    const bool good = std::all_of(body_a.begin(), body_a.end(), is_body) &&
                      std::all_of(body_b.begin(), body_b.end(), is_body) &&
                      std::all_of(mode.begin(), mode.end(), [](std::uint8_t m) { return m <= 2; });
    if (!good) throw InputError(file.name() + ": /contacts names a body or a mode that is none: the file is damaged");
  }

  ContactRecord record(std::size_t i) const {
    return {{shape_a[i], shape_b[i], feature[i]},
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
  std::vector<std::uint64_t> feature;
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
    if (file.has("/bodies/nodes")) nodes = node_counts();
    const std::vector<std::int64_t> frame_steps = steps_of(file, "/frames/step");
    frames = static_cast<std::int64_t>(frame_steps.size());
    steps = file.dataset("/steps/step").rows();
    checkpoint_steps = steps_of(file, "/checkpoints/step");
    if (frames == 0 || checkpoint_steps.empty()) {
      throw InputError(file.name() + ": holds no frame: the run never began");
    }
    first_step = frame_steps.front();
    last_step = steps == 0 ? checkpoint_steps.back() : value_at<std::int64_t>(file, "/steps/step", steps - 1);
    check_within("/frames/step", frame_steps);
    check_within("/checkpoints/step", checkpoint_steps);
  }

  std::vector<std::int32_t> node_counts() const {
    auto counts = rows_of<std::int32_t>(file, "/bodies/nodes", 0, static_cast<std::int64_t>(bodies));
    const bool good = std::all_of(counts.begin(), counts.end(), [](std::int32_t n) { return n >= 0; });
    if (!good) throw InputError(file.name() + ": /bodies/nodes has a number below 0: the file is damaged");
    return counts;
  }

  /// A table that begins with the run and does not go on after it.
  void check_within(const std::string& path, const std::vector<std::int64_t>& own) const {
    if (own.front() == first_step && own.back() <= last_step) return;
    throw InputError(fmt::format("{}: {} goes from {} to {}, the run from {} to {}: the file is damaged", file.name(),
                                 path, own.front(), own.back(), first_step, last_step));
  }

  Hdf5File file;
  std::size_t bodies = 0;
  std::size_t joints = 0;
  std::vector<std::int32_t> nodes;  ///< of each body; empty when none has any
  std::int64_t frames = 0;
  std::int64_t steps = 0;
  std::int64_t first_step = 0;  ///< of the state before the first step
  std::int64_t last_step = 0;
  std::vector<std::int64_t> checkpoint_steps;
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
  frame.step = value_at<std::int64_t>(file, "/frames/step", index);
  frame.time = value_at<double>(file, "/frames/time", index);
  frame.bodies = read_bodies(file, "/frames/", index, impl_->bodies, impl_->nodes);
  const auto start = value_at<std::int64_t>(file, "/frames/contact_start", index);
  const auto count = value_at<std::int64_t>(file, "/frames/contact_count", index);
  const ContactColumns contacts(file, start, count);
  contacts.check(file, impl_->bodies);
  for (std::size_t i = 0; i < contacts.mode.size(); ++i) frame.contacts.push_back(contacts.record(i));
  frame.joints = read_joints(file, index, impl_->joints);
  return frame;
}

std::vector<double> RecordingReader::step_column(const std::string& name, std::int64_t first,
                                                 std::int64_t count) const {
  return rows_of<double>(impl_->file, "/steps/" + name, first, count);
}

std::vector<RecordedReason> RecordingReader::reasons() const {
  const Hdf5Dataset& steps = impl_->file.dataset("/uncertified/step");
  const auto step = rows_of<std::int64_t>(impl_->file, "/uncertified/step", 0, steps.rows());
  const std::vector<std::string> text = impl_->file.dataset("/uncertified/reason").read_text(0, steps.rows());
  std::vector<RecordedReason> reasons;
  if (text.size() != step.size()) throw InputError(impl_->file.name() + ": /uncertified is damaged");
  for (std::size_t i = 0; i < step.size(); ++i) reasons.push_back({step[i], text[i]});
  return reasons;
}

std::vector<std::int64_t> RecordingReader::checkpoint_steps() const {
  return impl_->checkpoint_steps;
}

State RecordingReader::checkpoint(std::int64_t step) const {
  const Hdf5File& file = impl_->file;
  const std::vector<std::int64_t>& all = impl_->checkpoint_steps;
  if (step < all.front() || step > impl_->last_step) {
    throw InputError(fmt::format("{}: step {} is not in this recording: must be in {} … {}", file.name(), step,
                                 all.front(), impl_->last_step));
  }
  const std::int64_t row = std::upper_bound(all.begin(), all.end(), step) - all.begin() - 1;
  State state;
  state.step = all[static_cast<std::size_t>(row)];
  state.time = finite_at(file, "/checkpoints/time", row);
  state.bodies = read_bodies(file, "/checkpoints/", row, impl_->bodies, impl_->nodes);
  state.initial_poses = read_initial_poses(file, row, impl_->bodies);
  state.impulses = read_impulses(file, row);
  state.overlaps = read_overlaps(file, row);
  state.joints = read_joint_states(file, row, impl_->joints);
  if (file.has("/checkpoints/previous")) {
    state.previous = read_bodies(file, "/checkpoints/previous/", row, impl_->bodies, impl_->nodes);
    // All of them or none: only the first step of a run has none before it.
    if (!state.previous.empty() && !state.previous.front().pose.position.allFinite()) state.previous.clear();
  }
  if (file.has("/checkpoints/next_step")) {
    state.next_step = finite_at(file, "/checkpoints/next_step", row);
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
  info.step = checked_attribute(file, "step", 0.0);
  info.tolerance = checked_attribute(file, "tolerance", 0.0);
  for (const char* name : {"max_step_seconds", "max_seconds"}) {  // the former name: the limit of one island's solve
    if (file.has_attribute("/", name)) info.max_step_seconds = checked_attribute(file, name, 0.0);
  }
  info.frames_per_second = checked_attribute(file, "frames_per_second", 0.0);
  info.bodies = static_cast<int>(impl_->bodies);
  info.steps = impl_->steps;
  info.frames = impl_->frames;
  info.first_step = impl_->first_step;
  if (info.steps > 0) {
    const double start = finite_at(file, "/frames/time", 0);
    info.duration = finite_at(file, "/steps/time", info.steps - 1) - start;
  }
  info.max_residual = largest(step_column("residual", 0, info.steps));
  constexpr double most_contacts = std::numeric_limits<int>::max();
  info.max_contacts = static_cast<int>(std::min(largest(step_column("contacts", 0, info.steps)), most_contacts));
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
