#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/io/recording.h"
#include "cardhouse/io/recording_tables.h"

namespace cardhouse {
namespace {

constexpr std::size_t max_pending_rows = std::size_t{1} << 20;  // bytes of rows that wait in memory
constexpr std::size_t max_pending_file = std::size_t{1} << 24;  // bytes of the file that wait for a commit

void require_positive(const std::filesystem::path& file, const char* what, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    throw InputError(fmt::format("{}: {} = {}: must be > 0 and finite", file.string(), what, value));
  }
}

void check_options(const std::filesystem::path& file, const RecordingWriter::Options& options) {
  require_positive(file, "frames_per_second", options.frames_per_second);
  require_positive(file, "checkpoint_interval", options.checkpoint_interval);
  if (!(options.commit_interval >= 0.0)) {
    throw InputError(fmt::format("{}: commit_interval = {}: must be >= 0", file.string(), options.commit_interval));
  }
}

/// Points in time 0, 1/rate, 2/rate, …: whether one has been reached since the last that was taken. Times are sums of
/// steps, so a millionth of a step too early counts as on time.
class Schedule {
 public:
  Schedule(double rate, double step) : rate_(rate), slack_(1e-6 * step * rate) {}

  bool take_if_due(double time) {
    const double passed = std::floor(time * rate_ + slack_);
    if (passed <= last_) return false;
    last_ = passed;
    return true;
  }

 private:
  double rate_;
  double slack_;
  double last_ = -1.0;
};

}  // namespace

struct RecordingWriter::Impl {
  Impl(const std::filesystem::path& path, const Scene& scene, const std::string& scene_text, const Options& given)
      : options(given),
        bodies(scene.model.bodies.size()),
        joints(scene.model.joints.size()),
        nodes(node_count(scene.initial)),
        file(Hdf5File::create(path)),
        tables(std::make_unique<Tables>(file, static_cast<std::int64_t>(bodies), static_cast<std::int64_t>(joints),
                                        scene)),
        frame_schedule(options.frames_per_second, scene.settings.step),
        checkpoint_schedule(1.0 / options.checkpoint_interval, scene.settings.step) {
    write_header(file, scene, scene_text, options.frames_per_second);
  }

  struct Tables {
    Tables(Hdf5File& file, std::int64_t bodies, std::int64_t joints, const Scene& scene)
        : frames(file, bodies), contacts(file), steps(file), reasons(file), checkpoints(file, bodies), overlaps(file) {
      const StepSettings& settings = scene.settings;
      if (settings.diagnose) diagnosis.emplace(file), contact_diagnosis.emplace(file);
      if (keeps_previous(settings)) previous.emplace(file, bodies);
      if (settings.adaptive == Adaptive::error) next_step.emplace(file);
      if (const std::int64_t nodes = node_count(scene.initial); nodes > 0) {
        node_frames.emplace(file, "/frames", nodes);
        node_checkpoints.emplace(file, "/checkpoints", nodes);
        if (previous) previous_nodes.emplace(file, "/checkpoints/previous", nodes);
      }
      if (has_rolling_torsional_friction(scene.model)) turning.emplace(file), contact_turning.emplace(file);
      if (joints == 0) return;
      joint_frames.emplace(file, joints);
      joint_checkpoints.emplace(file, joints);
    }
    template <typename Visit>
    void each(const Visit& visit) {
      frames.each(visit), contacts.each(visit), steps.each(visit), reasons.each(visit), checkpoints.each(visit);
      overlaps.each(visit);
      if (diagnosis) diagnosis->each(visit), contact_diagnosis->each(visit);
      if (joint_frames) joint_frames->each(visit), joint_checkpoints->each(visit);
      if (previous) previous->each(visit);
      if (next_step) next_step->each(visit);
      if (turning) turning->each(visit), contact_turning->each(visit);
      if (node_frames) node_frames->each(visit), node_checkpoints->each(visit);
      if (previous_nodes) previous_nodes->each(visit);
    }

    FrameTable frames;
    ContactTable contacts;
    StepTable steps;
    std::optional<DiagnosisTable> diagnosis;
    std::optional<ContactDiagnosisTable> contact_diagnosis;
    ReasonTable reasons;
    CheckpointTable checkpoints;
    OverlapTable overlaps;
    std::optional<JointTable> joint_frames;
    std::optional<JointCheckpointTable> joint_checkpoints;
    std::optional<PreviousTable> previous;
    std::optional<NextStepTable> next_step;
    std::optional<TurningTable> turning;
    std::optional<ContactTurningTable> contact_turning;
    std::optional<NodeTable> node_frames, node_checkpoints, previous_nodes;
  };

  void add_frame(const State& state, std::span<const ContactRecord> records,
                 std::span<const JointRecord> joint_records) {
    tables->frames.add(state, contact_rows, static_cast<std::int64_t>(records.size()));
    for (const ContactRecord& record : records) {
      tables->contacts.add(record);
      if (tables->contact_diagnosis) tables->contact_diagnosis->add(record);
      if (tables->contact_turning) tables->contact_turning->add(record);
    }
    contact_rows += static_cast<std::int64_t>(records.size());
    if (tables->joint_frames) tables->joint_frames->add(state, joint_records);
    if (tables->node_frames) tables->node_frames->add(state.bodies);
    last_frame = state.step;
  }

  void add_checkpoint(const State& state) {
    tables->checkpoints.add(state);
    tables->overlaps.add(state);
    if (tables->joint_checkpoints) tables->joint_checkpoints->add(state);
    if (tables->previous) tables->previous->add(state);
    if (tables->next_step) tables->next_step->add(state);
    if (tables->turning) tables->turning->add(state);
    if (tables->node_checkpoints) tables->node_checkpoints->add(state.bodies);
    if (tables->previous_nodes && state.previous.empty()) tables->previous_nodes->add_none();
    if (tables->previous_nodes) tables->previous_nodes->add(state.previous);
    last_checkpoint = state.step;
  }

  void check_state(const State& state) const {
    if (state.joints.size() != joints) {
      throw InputError(
          fmt::format("{}: the state has {} joints, the scene {}", file.name(), state.joints.size(), joints));
    }
    if (node_count(state) != nodes) {
      throw InputError(fmt::format("{}: the state has {} nodes, the scene {}", file.name(), node_count(state), nodes));
    }
    if (state.bodies.size() == bodies && state.initial_poses.size() == bodies) return;
    throw InputError(fmt::format("{}: the state has {} bodies and {} initial poses, the scene {} bodies", file.name(),
                                 state.bodies.size(), state.initial_poses.size(), bodies));
  }

  std::size_t pending_rows() {
    std::size_t bytes = 0;
    tables->each([&](const auto& column) { bytes += column.pending_bytes(); });
    return bytes;
  }

  void write_rows() {
    tables->each([](auto& column) { column.write(); });
  }

  void commit() {
    write_rows();
    file.commit();
    since_commit = Stopwatch();
  }

  void write_what_is_due() {
    if (since_commit.seconds() >= options.commit_interval || file.pending_bytes() > max_pending_file) {
      commit();
    } else if (pending_rows() > max_pending_rows) {
      write_rows();
    }
  }

  Options options;
  std::size_t bodies;
  std::size_t joints;
  std::int64_t nodes;
  Hdf5File file;
  std::unique_ptr<Tables> tables;  ///< gone before the file closes
  Schedule frame_schedule;
  Schedule checkpoint_schedule;
  std::int64_t contact_rows = 0;
  std::int64_t last_frame = -1;
  std::int64_t last_checkpoint = -1;
  bool begun = false;
  // The last step, in case that the run ends there.
  State last_state;
  std::vector<ContactRecord> last_contacts;
  std::vector<JointRecord> last_joints;
  Stopwatch since_commit;
};

RecordingWriter::RecordingWriter(const std::filesystem::path& file, const Scene& scene, const std::string& scene_text,
                                 const Options& options) {
  check_options(file, options);
  impl_ = std::make_unique<Impl>(file, scene, scene_text, options);
}

RecordingWriter::~RecordingWriter() {
  try {
    if (impl_) close(*std::exchange(impl_, nullptr), "");
  } catch (const std::exception&) {
    // finish() reports failures; a destructor cannot.
  }
}

void RecordingWriter::begin(const State& state, const Energy& energy) {
  impl_->check_state(state);
  impl_->begun = true;
  impl_->file.set_attribute("/steps", "initial_kinetic", energy.kinetic);
  impl_->file.set_attribute("/steps", "initial_potential", energy.potential);
  impl_->frame_schedule.take_if_due(state.time);
  impl_->checkpoint_schedule.take_if_due(state.time);
  impl_->add_frame(state, {}, {});
  impl_->add_checkpoint(state);
  impl_->last_state = state;
  impl_->commit();
}

void RecordingWriter::add_step(const State& state, const StepReport& report, const Energy& energy,
                               std::span<const ContactRecord> contacts, std::span<const JointRecord> joints) {
  impl_->check_state(state);
  impl_->tables->steps.add(state, report, energy);
  if (impl_->tables->diagnosis) impl_->tables->diagnosis->add(report.diagnosis.value_or(Diagnosis{}));
  for (const std::string& words : {report.reason, report.warning}) {
    if (words.empty()) continue;
    impl_->tables->reasons.step.add(state.step);
    impl_->tables->reasons.reason.add(words);
  }
  if (impl_->frame_schedule.take_if_due(state.time)) impl_->add_frame(state, contacts, joints);
  if (impl_->checkpoint_schedule.take_if_due(state.time)) impl_->add_checkpoint(state);
  impl_->last_state = state;
  impl_->last_contacts.assign(contacts.begin(), contacts.end());
  impl_->last_joints.assign(joints.begin(), joints.end());
  impl_->write_what_is_due();
}

void RecordingWriter::finish(const std::string& ended) {
  // Taken first, so that a failure is reported once and not again by the destructor.
  if (impl_) close(*std::exchange(impl_, nullptr), ended);
}

void RecordingWriter::close(Impl& impl, const std::string& ended) {
  if (!impl.begun) return;
  if (impl.last_frame != impl.last_state.step) impl.add_frame(impl.last_state, impl.last_contacts, impl.last_joints);
  if (impl.last_checkpoint != impl.last_state.step) impl.add_checkpoint(impl.last_state);
  impl.write_rows();
  if (!ended.empty()) impl.file.set_attribute("/", "ended", ended);
  if (ended == "done") impl.file.set_attribute("/", "finished", std::int64_t{1});
  impl.tables.reset();
  impl.file.close();
}

}  // namespace cardhouse
