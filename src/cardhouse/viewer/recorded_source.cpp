#include "cardhouse/viewer/recorded_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/io/hdf5_file.h"
#include "cardhouse/io/recording_reader.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/stepping/records/outside_work.h"
#include "cardhouse/viewer/scene_message.h"
#include "cardhouse/viewer/step_rows.h"

namespace cardhouse::viewer {
namespace {

constexpr std::int64_t max_frames = 600;                    ///< of one answer
constexpr std::int64_t max_answer_bytes = 4 * 1024 * 1024;  /// beyond one frame, which is sent whatever it takes
constexpr std::int64_t max_step_rows = 32 * 1024;           ///< of one answer: about 4 MiB
constexpr std::int64_t max_track_rows = 64 * 1024;          ///< of one answer: about 7 MiB
constexpr std::int64_t rows_at_once = 64 * 1024;            ///< numbers that are in memory while a column is summarised

std::vector<float> narrowed(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

struct RecordedMessages::Impl {
  explicit Impl(const std::filesystem::path& path) : reader(path), file(Hdf5File::open(path)), info(reader.info()) {
    scene = parse_scene(info.scene_text, path.string());
    initial.kinetic = file.real_attribute("/steps", "initial_kinetic");
    initial.potential = file.real_attribute("/steps", "initial_potential");
    bodies = static_cast<std::int64_t>(scene.model.bodies.size());
    joints = static_cast<std::int64_t>(scene.model.joints.size());
    if (bodies != info.bodies) throw InputError(path.string() + ": the scene has other bodies: the file is damaged");
    scene.initial.bodies = reader.frame(0).bodies;
    for (const BodyState& body : scene.initial.bodies) nodes += body.nodes.size() / 3;
  }

  /// Pages trust the array shapes of messages, so they are checked here.
  void check_body_column(const std::string& name, std::int64_t width) const {
    if (file.dataset("/frames/" + name).row_elements() == bodies * width) return;
    throw InputError(fmt::format("{}: /frames/{} has a wrong shape: the file is damaged", file.name(), name));
  }

  /// A column of numbers per body.
  std::vector<double> body_column(const std::string& name, std::int64_t width, std::int64_t first,
                                  std::int64_t count) const {
    if (bodies == 0) return {};
    check_body_column(name, width);
    return file.dataset("/frames/" + name).read<double>(first, count);
  }

  template <typename T>
  std::vector<T> contact_column(const std::string& name, std::int64_t first, std::int64_t count,
                                std::int64_t width = 1) const {
    const Hdf5Dataset& dataset = file.dataset("/contacts/" + name);
    if (dataset.row_elements() != width) {
      throw InputError(fmt::format("{}: /contacts/{} has a wrong shape: the file is damaged", file.name(), name));
    }
    return dataset.read<T>(first, count);
  }

  std::vector<float> contact_vectors(const std::string& name, std::int64_t first, std::int64_t count) const {
    return narrowed(contact_column<double>(name, first, count, 3));
  }

  /// How many contacts each of some frames has.
  std::vector<std::int64_t> contact_counts(std::int64_t first, std::int64_t count) const {
    const Hdf5Dataset& dataset = file.dataset("/frames/contact_count");
    std::vector<std::int64_t> counts = dataset.read<std::int64_t>(first, count);
    const std::int64_t all = file.dataset("/contacts/body_a").rows();
    const bool sound = dataset.row_elements() == 1 &&
                       std::all_of(counts.begin(), counts.end(), [&](auto n) { return n >= 0 && n <= all; });
    if (sound) return counts;
    throw InputError(file.name() + ": /frames/contact_count is not possible: the file is damaged");
  }

  /// A column of /steps. Recordings from before `work` existed lack it: it is 0 where nothing could do work, else
  /// unknown.
  std::vector<double> step_column(const std::string& name, std::int64_t first, std::int64_t count) const {
    if (name != "work" || file.has("/steps/work")) return reader.step_column(name, first, count);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return std::vector<double>(static_cast<std::size_t>(count), works_from_outside(scene.model) ? unknown : 0.0);
  }

  ContactTable contacts(std::int64_t first, std::int64_t count) const;

  /// A column of numbers per joint, checked as those of bodies are.
  std::vector<float> joint_column(const std::string& name, std::int64_t width, std::int64_t first,
                                  std::int64_t count) const {
    const Hdf5Dataset& dataset = file.dataset("/joints/" + name);
    if (dataset.row_elements() != joints * width) {
      throw InputError(fmt::format("{}: /joints/{} has a wrong shape: the file is damaged", file.name(), name));
    }
    return narrowed(dataset.read<double>(first, count));
  }
  std::vector<float> node_column(std::int64_t first, std::int64_t count) const {
    const Hdf5Dataset& dataset = file.dataset("/frames/node_position");
    if (dataset.row_elements() != 3 * nodes) {
      throw InputError(file.name() + ": /frames/node_position has a wrong shape: the file is damaged");
    }
    return narrowed(dataset.read<double>(first, count));
  }
  JointTable joint_frames(std::int64_t first, std::int64_t count) const;
  std::int64_t fitting_frames(const std::vector<std::int64_t>& contact_count) const;

  RecordingReader reader;
  Hdf5File file;  ///< for reading many rows at a time
  RecordingInfo info;
  Scene scene;
  Energy initial;
  std::int64_t bodies = 0;
  std::int64_t joints = 0;
  std::int64_t nodes = 0;  ///< of all bodies
};

ContactTable RecordedMessages::Impl::contacts(std::int64_t first, std::int64_t count) const {
  ContactTable table;
  table.body_a = contact_column<std::int32_t>("body_a", first, count);
  table.body_b = contact_column<std::int32_t>("body_b", first, count);
  table.shape_a = contact_column<std::int32_t>("shape_a", first, count);
  table.shape_b = contact_column<std::int32_t>("shape_b", first, count);
  table.island = contact_column<std::int32_t>("island", first, count);
  table.point = contact_vectors("point", first, count);
  table.normal = contact_vectors("normal", first, count);
  table.impulse = contact_vectors("impulse", first, count);
  table.velocity = contact_vectors("velocity", first, count);
  table.gap = narrowed(contact_column<double>("gap", first, count));
  table.mu = narrowed(contact_column<double>("mu", first, count));
  table.residual = narrowed(contact_column<double>("residual", first, count));
  table.mode = contact_column<std::uint8_t>("mode", first, count);
  // Pages use these as indices.
  const auto is_body = [&](std::int32_t body) { return body >= 0 && body < bodies; };
  const auto is_mode = [](std::uint8_t mode) { return mode <= static_cast<std::uint8_t>(ContactMode::slip); };
  if (!std::ranges::all_of(table.body_a, is_body) || !std::ranges::all_of(table.body_b, is_body) ||
      !std::ranges::all_of(table.mode, is_mode)) {
    throw InputError(file.name() + ": /contacts names a body or a mode that is none: the file is damaged");
  }
  return table;
}

JointTable RecordedMessages::Impl::joint_frames(std::int64_t first, std::int64_t count) const {
  JointTable table;
  if (joints == 0) return table;
  table.joints = joints;
  table.impulse = joint_column("impulse", 3, first, count);
  table.torque = joint_column("torque", 3, first, count);
  table.drive = joint_column("drive", most_joint_coordinates, first, count);
  table.coordinate = joint_column("coordinate", most_joint_coordinates, first, count);
  table.violation = joint_column("violation", 1, first, count);
  table.angle_violation = joint_column("angle_violation", 1, first, count);
  table.residual = joint_column("residual", 1, first, count);
  return table;
}

std::int64_t RecordedMessages::Impl::fitting_frames(const std::vector<std::int64_t>& contact_count) const {
  std::int64_t bytes = 0;
  std::int64_t frames = 0;
  for (const std::int64_t contacts : contact_count) {
    bytes += frame_bytes(bodies, nodes, contacts, joints);
    if (frames > 0 && bytes > max_answer_bytes) break;
    ++frames;
  }
  return frames;
}

RecordedMessages::RecordedMessages(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
RecordedMessages::~RecordedMessages() = default;
RecordedMessages::RecordedMessages(RecordedMessages&&) noexcept = default;

std::int64_t RecordedMessages::frames() const {
  return impl_->info.frames;
}
std::int64_t RecordedMessages::steps() const {
  return impl_->info.steps;
}

Message RecordedMessages::scene(std::string_view mode, const std::string& session) const {
  const RecordingInfo& info = impl_->info;
  SceneDescription description;
  description.mode = mode;
  description.session = session;
  description.runs = {{info.solver, info.frames, info.steps, info.duration}};
  description.step = info.step;
  description.tolerance = info.tolerance;
  description.frames_per_second = info.frames_per_second;
  description.diagnosed = info.diagnosed;
  description.initial = impl_->initial;
  return scene_message(impl_->scene, description);
}

RecordedMessages::Frames RecordedMessages::frames(const GetFrames& request, VelocityPrecision precision) const {
  if (request.first >= frames()) {
    throw InputError(fmt::format("frame {}: this recording has {}", request.first, frames()));
  }
  const Hdf5File& file = impl_->file;
  const std::int64_t first = request.first;
  std::int64_t count = std::min({request.count, max_frames, frames() - first});
  FrameTable table;
  table.first = first;
  table.bodies = impl_->bodies;
  table.contact_count = impl_->contact_counts(first, count);
  if (!request.contacts) std::fill(table.contact_count.begin(), table.contact_count.end(), 0);
  count = impl_->fitting_frames(table.contact_count);
  table.contact_count.resize(static_cast<std::size_t>(count));

  // Contact starts are counted, not read: a message has no holes, whatever the file says.
  std::int64_t contacts = 0;
  for (const std::int64_t of_frame : table.contact_count) {
    table.contact_start.push_back(contacts);
    contacts += of_frame;
  }
  table.step = file.dataset("/frames/step").read<std::int64_t>(first, count);
  table.time = file.dataset("/frames/time").read<double>(first, count);
  table.position = impl_->body_column("position", 3, first, count);
  table.orientation = impl_->body_column("orientation", 4, first, count);
  table.linear_velocity = impl_->body_column("linear_velocity", 3, first, count);
  table.angular_velocity = impl_->body_column("angular_velocity", 3, first, count);
  if (impl_->nodes > 0) table.node_position = impl_->node_column(first, count);
  table.joints = impl_->joint_frames(first, count);
  if (contacts > 0) {
    const std::int64_t start = file.dataset("/frames/contact_start").read<std::int64_t>(first, 1).front();
    table.contacts = impl_->contacts(start, contacts);
  }
  return {frames_message(table, precision), count};
}

Message RecordedMessages::steps(const GetSteps& request) const {
  const std::int64_t first = std::min(request.first, steps());
  const std::int64_t stride = request.stride;
  // Division first: a stride may be anything, and a product could overflow.
  const std::int64_t wanted = std::min(request.count, steps() - first);
  const std::int64_t count = wanted / stride >= max_step_rows ? max_step_rows * stride : wanted;
  const std::int64_t piece = std::max<std::int64_t>(1, rows_at_once / stride) * stride;
  StepTableSlice slice;
  slice.first = first;
  slice.stride = stride;
  for (const StepColumn& column : step_columns(impl_->info.diagnosed)) {
    std::vector<double>& values = slice.columns.emplace_back();
    for (std::int64_t done = 0; done < count; done += piece) {
      const auto part = impl_->step_column(std::string(column.name), first + done, std::min(piece, count - done));
      const std::vector<double> rows = summarise(part, stride, column.summary);
      values.insert(values.end(), rows.begin(), rows.end());
    }
  }
  return steps_message(slice);
}

Message RecordedMessages::track(const GetTrack& request) const {
  if (request.body >= impl_->bodies) {
    throw InputError(fmt::format("body {}: this scene has {}", request.body, impl_->bodies));
  }
  const std::int64_t stride = std::max(request.stride, (frames() + max_track_rows - 1) / max_track_rows);
  const std::int64_t rows = (frames() + stride - 1) / stride;
  const auto body_rows = [&](const std::string& name, std::int64_t width) {
    impl_->check_body_column(name, width);
    return impl_->file.dataset("/frames/" + name).read_part<double>({0, rows, stride}, request.body, 1);
  };
  MessageBuilder message("track", 0);
  message.set("body", request.body);
  message.set("stride", stride);
  const std::vector<double> time = impl_->file.dataset("/frames/time").read_part<double>({0, rows, stride}, 0, 0);
  message.add("frames/time", {rows}, std::span<const double>(time));
  constexpr std::array<std::pair<const char*, int>, 4> columns = {
      {{"position", 3}, {"orientation", 4}, {"linear_velocity", 3}, {"angular_velocity", 3}}};
  for (const auto& [name, width] : columns) {
    const std::vector<double> values = body_rows(name, width);
    message.add(std::string("frames/") + name, {rows, width}, std::span<const double>(values));
  }
  return message.finish();
}

Message RecordedMessages::reasons() const {
  MessageBuilder message("reasons", 0);
  Json list = Json::array();
  for (const RecordedReason& reason : impl_->reader.reasons()) {
    list.push_back({{"step", reason.step}, {"reason", reason.reason}});
  }
  message.set("reasons", std::move(list));
  return message.finish();
}

namespace {

struct Answer {
  const RecordedMessages& messages;

  Message operator()(const GetFrames& request) const {
    return messages.frames(request, VelocityPrecision::full).message;
  }
  Message operator()(const GetSteps& request) const { return messages.steps(request); }
  Message operator()(const GetTrack& request) const { return messages.track(request); }
  Message operator()(const GetReasons&) const { return messages.reasons(); }
  Message operator()(const Command&) const { throw InputError("this is a recording; only a live run can be changed"); }
};

int run_asked_of(const Request& request) {
  return std::visit(
      [](const auto& r) {
        if constexpr (requires { r.run + 1; }) return r.run;
        return 0;
      },
      request);
}

}  // namespace

RecordedSource::RecordedSource(const std::filesystem::path& file, const std::string& session)
    : messages_(file), scene_(messages_.scene("recording", session)) {}

std::vector<Message> RecordedSource::news(Progress& progress) {
  if (progress.scene != 0) return {};
  progress.scene = 1;
  return {scene_};
}

std::vector<Message> RecordedSource::answer(const Request& request) {
  try {
    if (run_asked_of(request) != 0) throw InputError("a recording has one run: run must be 0");
    return {std::visit(Answer{messages_}, request)};
  } catch (const InputError& error) {
    return {error_message(error.what())};
  }
}

}  // namespace cardhouse::viewer
