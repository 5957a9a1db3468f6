#include "cardhouse/viewer/live_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "cardhouse/base/error.h"
#include "cardhouse/viewer/frame_table.h"
#include "cardhouse/viewer/live_simulation.h"
#include "cardhouse/viewer/scene_message.h"
#include "cardhouse/viewer/step_history.h"

namespace cardhouse::viewer {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t max_commands = 256;  ///< that wait for the step to end
constexpr std::int64_t max_rows_per_message = 4096;
constexpr Seconds frame_interval{1.0 / 120.0};  ///< twice as often as pages are told, so that frames are fresh
constexpr Seconds haste{0.05};                  ///< after a command, in which frames do not wait for their turn
constexpr Seconds state_interval{0.25};         ///< between tellings of time and ratio
constexpr double frames_per_second = 60.0;      ///< that a page gets at most
constexpr double largest_lag = 0.1;             ///< s of simulated time that are made up for; more is let go

/// What pages are told of the simulation's settings.
struct LiveState {
  bool paused = false;
  std::vector<StepSettings> settings;  ///< one per run
  Vec3 gravity = Vec3::Zero();
  std::optional<double> mu;
  double speed = 1.0;
  std::optional<int> dragging;
  double simulated = 0.0;  ///< s
  double ratio = 0.0;      ///< simulated seconds per second
};

struct LiveRun {
  std::shared_ptr<const FrameTable> frame;  ///< the newest
  StepHistory history;
};

/// All that the two threads share.
struct Published {
  std::uint64_t scene_version = 0;
  std::shared_ptr<const Scene> scene;
  Energy initial;
  std::uint64_t state_version = 0;
  LiveState state;
  std::uint64_t error_version = 0;
  std::string error;
  std::vector<LiveRun> runs;
};

/// Simulated time against the clock on the wall.
class Pace {
 public:
  /// From here on, `speed` simulated seconds per second.
  void restart(double simulated) {
    wall_ = Clock::now();
    simulated_ = simulated;
  }
  /// Simulated time that should have been reached by now.
  double due(double speed) const { return simulated_ + speed * Seconds(Clock::now() - wall_).count(); }
  Clock::time_point moment(double simulated, double speed) const {
    return wall_ + std::chrono::duration_cast<Clock::duration>(Seconds((simulated - simulated_) / speed));
  }

 private:
  Clock::time_point wall_ = Clock::now();
  double simulated_ = 0.0;
};

/// Simulated seconds per second, over the last part of a second.
class RatioMeter {
 public:
  void restart(double simulated) {
    start_ = Clock::now();
    simulated_ = simulated;
    ratio_ = 0.0;
  }
  double update(double simulated) {
    const double elapsed = Seconds(Clock::now() - start_).count();
    if (elapsed < 0.2) return ratio_;
    const double ratio = (simulated - simulated_) / elapsed;
    restart(simulated);
    return ratio_ = ratio;
  }

 private:
  Clock::time_point start_ = Clock::now();
  double simulated_ = 0.0;
  double ratio_ = 0.0;
};

Json json_of(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

template <typename T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Message state_message(const LiveState& state, int run) {
  const StepSettings& settings = state.settings[static_cast<std::size_t>(run)];
  MessageBuilder message("state", run);
  message.set("paused", state.paused);
  message.set("solver", settings.solver);
  message.set("tolerance", settings.tolerance);
  message.set("step", settings.step);
  message.set("gravity", json_of(state.gravity));
  message.set("mu", json_or_null(state.mu));
  message.set("speed", state.speed);
  message.set("dragging", json_or_null(state.dragging));
  message.set("simulated", state.simulated);
  message.set("ratio", state.ratio);
  return message.finish();
}

}  // namespace

struct LiveSource::Impl {
  Impl(Scene scene, Options given)
      : options(std::move(given)),
        simulation(std::move(scene), options.solvers),
        rows(simulation.runs()),
        reasons(simulation.runs()) {
    if (options.paused) simulation.pause();
    shared.runs.resize(simulation.runs());
    for (std::size_t i = 0; i < shared.runs.size(); ++i) {
      shared.runs[i].history.set_diagnosed(simulation.run(i).settings().diagnose);
    }
    begin_generation();
    publish();
    thread = std::thread([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_one();
    thread.join();
  }

  // On the simulation's thread.
  void work();
  bool apply_commands();
  void step();
  void note_step();
  bool resting();
  void wait(std::optional<Clock::time_point> until);
  void begin_generation();
  void publish();
  void publish_error(const std::string& what);
  LiveState state() const;
  double simulated() const { return simulation.run(0).state().time; }

  // On the server's thread.
  bool submit(const Command& command);
  Message steps(const GetSteps& request);
  Message reasons_of(int run);
  void check_run(int run) const;

  const Options options;

  // Of the simulation's thread.
  LiveSimulation simulation;
  Pace pace;
  RatioMeter ratio;
  std::vector<std::vector<StepRow>> rows;  ///< per run, not yet published
  std::vector<std::vector<RecordedReason>> reasons;
  std::uint64_t generation = 0;  ///< the published one
  std::uint64_t resets = 0;
  std::int64_t frame_number = 0;
  bool fresh = false;  ///< there is a frame that was not published
  bool changed = true;
  bool obeyed = false;  ///< commands were carried out since the last step that was published
  Clock::time_point last_obeyed;
  Clock::time_point last_publication;
  Clock::time_point last_state;

  // Shared. The lock is held only to copy pointers and a few rows.
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::deque<Command> commands;
  std::size_t watchers = 0;
  Clock::time_point unwatched_since = Clock::now();
  std::function<void()> alarm;
  Published shared;

  std::thread thread;
};

void LiveSource::Impl::work() {
  pace.restart(simulated());
  ratio.restart(simulated());
  for (;;) {
    {
      const std::lock_guard lock(mutex);
      if (stopping) return;
    }
    if (apply_commands()) {
      changed = obeyed = true;
      last_obeyed = Clock::now();
    }
    const bool idle = simulation.paused() || resting();
    const double speed = simulation.speed();
    const bool due = !idle && (speed == 0.0 || simulated() < pace.due(speed));
    if (due) step();
    const auto now = Clock::now();
    if (changed || (fresh && (!due || obeyed || now - last_publication >= frame_interval))) publish();
    if (idle) {
      wait(std::nullopt);
      pace.restart(simulated());
      ratio.restart(simulated());
    } else if (!due) {
      wait(pace.moment(simulated(), speed));
    } else if (speed > 0.0 && pace.due(speed) - simulated() > largest_lag * speed) {
      pace.restart(simulated());
    }
  }
}

bool LiveSource::Impl::apply_commands() {
  std::deque<Command> taken;
  {
    const std::lock_guard lock(mutex);
    taken.swap(commands);
  }
  for (const Command& command : taken) {
    const std::int64_t before = simulation.run(0).state().step;
    try {
      simulation.apply(command);
      if (!std::holds_alternative<Drag>(command)) pace.restart(simulated());
    } catch (const InputError& error) {
      publish_error(error.what());
    }
    if (simulation.generation() != generation) begin_generation();
    if (simulation.run(0).state().step == before + 1) note_step();
  }
  return !taken.empty();
}

void LiveSource::Impl::step() {
  try {
    simulation.step();
    note_step();
  } catch (const InputError& error) {
    simulation.pause();
    changed = true;
    publish_error(error.what());
  }
}

void LiveSource::Impl::note_step() {
  for (std::size_t i = 0; i < simulation.runs(); ++i) {
    const World& world = simulation.run(i);
    const StepReport& report = world.last_report();
    rows[i].push_back(step_row(world.state(), report, world.energy()));
    if (!report.reason.empty()) reasons[i].push_back({world.state().step, report.reason});
  }
  fresh = true;
}

/// Whether nobody has looked for so long that there is no use in going on.
bool LiveSource::Impl::resting() {
  if (options.rest_after.count() <= 0.0) return false;
  const std::lock_guard lock(mutex);
  return watchers == 0 && Clock::now() - unwatched_since >= options.rest_after;
}

/// Sleeps until a command or, while it rests, a page comes, at most until then.
void LiveSource::Impl::wait(std::optional<Clock::time_point> until) {
  std::unique_lock lock(mutex);
  const bool alone = watchers == 0;
  const auto called = [this, alone] { return stopping || !commands.empty() || (alone && watchers > 0); };
  if (until) {
    wake.wait_until(lock, *until, called);
  } else {
    wake.wait(lock, called);
  }
}

/// After a reset or a shot: pages are to get the scene, and after a reset the old steps are void.
void LiveSource::Impl::begin_generation() {
  const bool restarted = generation == 0 || simulation.resets() != resets;
  const auto scene = std::make_shared<Scene>(simulation.scene());
  const Energy energy = energy_of(scene->model, scene->initial);
  fresh = true;
  generation = simulation.generation();
  resets = simulation.resets();
  const std::lock_guard lock(mutex);
  shared.scene_version = generation;
  shared.scene = scene;
  shared.initial = energy;
  for (LiveRun& run : shared.runs) run.frame.reset();  // it may have other bodies; the next one comes soon
  if (!restarted) return;
  frame_number = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].clear();
    reasons[i].clear();
    shared.runs[i].history.clear();
  }
}

LiveState LiveSource::Impl::state() const {
  LiveState state;
  state.paused = simulation.paused();
  for (std::size_t i = 0; i < simulation.runs(); ++i) state.settings.push_back(simulation.run(i).settings());
  state.gravity = simulation.scene().model.gravity;
  state.mu = simulation.mu();
  state.speed = simulation.speed();
  state.dragging = simulation.dragged();
  state.simulated = simulated();
  return state;
}

/// The newest frame, if it is new, the rows since the last time, and the state when it has changed or grown old.
void LiveSource::Impl::publish() {
  std::vector<std::shared_ptr<FrameTable>> frames;
  for (std::size_t i = 0; fresh && i < simulation.runs(); ++i) {
    const World& world = simulation.run(i);
    auto frame = std::make_shared<FrameTable>();
    frame->run = static_cast<int>(i);
    frame->first = frame_number;
    frame->add(world.state(), world.contacts(), world.joints());
    frames.push_back(std::move(frame));
  }
  frame_number += fresh ? 1 : 0;
  last_publication = Clock::now();
  const bool tell_state = changed || last_publication - last_state >= state_interval;
  LiveState now = state();
  now.ratio = simulation.paused() ? 0.0 : ratio.update(now.simulated);

  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < shared.runs.size(); ++i) {
    LiveRun& run = shared.runs[i];
    if (fresh) run.frame = std::move(frames[i]);
    for (const StepRow& row : rows[i]) run.history.add(row);
    for (const RecordedReason& reason : reasons[i]) run.history.add_reason(reason.step, reason.reason);
    rows[i].clear();
    reasons[i].clear();
  }
  // Who commanded something waits for the first steps that show it.
  const bool awaited = last_publication - last_obeyed < haste;
  if (awaited && (fresh || simulation.paused()) && alarm) alarm();
  if (fresh) obeyed = false;
  fresh = false;
  if (!tell_state) return;
  shared.state = std::move(now);
  ++shared.state_version;
  last_state = last_publication;
  changed = false;
}

void LiveSource::Impl::publish_error(const std::string& what) {
  const std::lock_guard lock(mutex);
  shared.error = what;
  ++shared.error_version;
}

/// False when too many wait. A drag that waits gives way to a newer one.
bool LiveSource::Impl::submit(const Command& command) {
  {
    const std::lock_guard lock(mutex);
    const bool drags = std::holds_alternative<Drag>(command);
    if (drags && !commands.empty() && std::holds_alternative<Drag>(commands.back())) commands.pop_back();
    if (commands.size() >= max_commands) return false;
    commands.push_back(command);
  }
  wake.notify_one();
  return true;
}

void LiveSource::Impl::check_run(int run) const {
  if (run >= static_cast<int>(options.solvers.size())) {
    throw InputError(fmt::format("run {}: there are {}", run, options.solvers.size()));
  }
}

Message LiveSource::Impl::steps(const GetSteps& request) {
  check_run(request.run);
  StepTableSlice slice;
  slice.run = request.run;
  slice.stride = request.stride;
  {
    const std::lock_guard lock(mutex);
    const StepHistory& history = shared.runs[static_cast<std::size_t>(request.run)].history;
    slice.first = std::clamp(request.first, history.first(), history.end());
    slice.columns = history.columns(slice.first, std::min(request.count, history.end() - slice.first));
  }
  const auto columns = step_columns(slice.columns.size() > plain_step_columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    slice.columns[i] = summarise(slice.columns[i], slice.stride, columns[i].summary);
  }
  return steps_message(slice);
}

Message LiveSource::Impl::reasons_of(int run) {
  check_run(run);
  Json list = Json::array();
  {
    const std::lock_guard lock(mutex);
    for (const RecordedReason& reason : shared.runs[static_cast<std::size_t>(run)].history.reasons()) {
      list.push_back({{"step", reason.step}, {"reason", reason.reason}});
    }
  }
  MessageBuilder message("reasons", run);
  message.set("reasons", std::move(list));
  return message.finish();
}

LiveSource::LiveSource(Scene scene, Options options)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(options))) {}
LiveSource::~LiveSource() = default;

namespace {

Message live_scene_message(const Scene& scene, const Energy& initial, const LiveState& state,
                           const std::string& session) {
  SceneDescription description;
  description.mode = "live";
  description.session = session;
  for (const StepSettings& settings : state.settings) {
    description.runs.push_back({settings.solver, 0, 0, scene.duration});
  }
  description.step = state.settings.front().step;
  description.tolerance = state.settings.front().tolerance;
  description.frames_per_second = frames_per_second;
  description.diagnosed = state.settings.front().diagnose;
  description.initial = initial;
  return scene_message(scene, description);
}

/// What a page has not seen, copied while the lock is held and encoded after.
struct News {
  std::shared_ptr<const Scene> scene;
  Energy initial;
  bool tell_state = false;
  LiveState state;
  std::string error;
  std::vector<std::shared_ptr<const FrameTable>> frames;
  std::vector<StepTableSlice> steps;
};

void take_run(const LiveRun& run, int index, Progress::Run& progress, News& news) {
  if (run.frame && run.frame->first > progress.frame) {
    progress.frame = run.frame->first;
    news.frames.push_back(run.frame);
  }
  const StepHistory& history = run.history;
  progress.next_row = std::clamp(progress.next_row, history.first(), history.end());
  const std::int64_t count = std::min(history.end() - progress.next_row, max_rows_per_message);
  if (count == 0) return;
  news.steps.push_back({index, progress.next_row, 1, history.columns(progress.next_row, count)});
  progress.next_row += count;
}

News take_news(const Published& shared, Progress& progress) {
  News news;
  if (progress.scene != shared.scene_version) {
    progress = Progress{.scene = shared.scene_version, .state = 0, .error = progress.error, .runs = {}};
    news.scene = shared.scene;
    news.initial = shared.initial;
  }
  news.tell_state = progress.state != shared.state_version;
  news.state = shared.state;
  progress.state = shared.state_version;
  if (progress.error != shared.error_version) news.error = shared.error;
  progress.error = shared.error_version;
  for (std::size_t i = 0; i < shared.runs.size(); ++i) {
    take_run(shared.runs[i], static_cast<int>(i), progress.runs[i], news);
  }
  return news;
}

}  // namespace

std::vector<Message> LiveSource::news(Progress& progress) {
  News news;
  {
    const std::lock_guard lock(impl_->mutex);
    // An error from before the page came is not for it.
    if (progress.scene == 0) progress.error = impl_->shared.error_version;
    news = take_news(impl_->shared, progress);
  }
  std::vector<Message> messages;
  if (news.scene) {
    messages.push_back(live_scene_message(*news.scene, news.initial, news.state, impl_->options.session));
  }
  if (news.tell_state) {
    for (std::size_t i = 0; i < news.state.settings.size(); ++i) {
      messages.push_back(state_message(news.state, static_cast<int>(i)));
    }
  }
  for (const auto& frame : news.frames) messages.push_back(frames_message(*frame));
  for (const StepTableSlice& slice : news.steps) messages.push_back(steps_message(slice));
  if (!news.error.empty()) messages.push_back(error_message(news.error));
  return messages;
}

void LiveSource::set_alarm(std::function<void()> alarm) {
  const std::lock_guard lock(impl_->mutex);
  impl_->alarm = std::move(alarm);
}

void LiveSource::watched_by(std::size_t pages) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->watchers = pages;
    impl_->unwatched_since = Clock::now();
  }
  impl_->wake.notify_one();
}

std::vector<Message> LiveSource::answer(const Request& request) {
  try {
    if (const auto* steps = std::get_if<GetSteps>(&request)) return {impl_->steps(*steps)};
    if (const auto* reasons = std::get_if<GetReasons>(&request)) return {impl_->reasons_of(reasons->run)};
    const auto* command = std::get_if<Command>(&request);
    if (command == nullptr) throw InputError("a live run keeps no frames; record it with 'cardhouse run'");
    if (!impl_->submit(*command)) throw InputError("too many commands are waiting; try again");
    return {};
  } catch (const InputError& error) {
    return {error_message(error.what())};
  }
}

}  // namespace cardhouse::viewer
