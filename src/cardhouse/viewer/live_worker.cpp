#include "cardhouse/viewer/live_worker.h"

#include <algorithm>

#include "cardhouse/base/error.h"

namespace cardhouse::viewer {
namespace {

constexpr std::size_t max_commands = 256;       ///< that wait for the step to end
constexpr Seconds frame_interval{1.0 / 120.0};  ///< twice as often as pages get frames, so that frames are fresh
constexpr Seconds haste{0.05};                  ///< after a command, during which frames are sent at once
constexpr Seconds hasty_interval{0.002};        ///< between frames then: below it the server tells none
constexpr Seconds state_interval{0.25};         ///< between updates of time and ratio
constexpr double largest_lag = 0.1;             ///< s of simulated time that are caught up; more is dropped

/// Whether a command changes the next step. Setting the pace does not.
bool changes_the_step(const Set& set) {
  return set.solver || set.tolerance || set.step || set.gravity || set.mu;
}

/// Whether a command cancels the current step, which may take minutes. A drag does not, or dragging would stop the run.
/// A single step does not, or it would cancel the one before.
bool goes_before_the_step(const Command& command) {
  if (const auto* set = std::get_if<Set>(&command)) return changes_the_step(*set);
  const auto* control = std::get_if<Control>(&command);
  return control && (*control == Control::pause || *control == Control::reset);
}

}  // namespace

LiveWorker::LiveWorker(Scene scene, const LiveOptions& options)
    : rest_after_(options.rest_after),
      simulation_(std::move(scene), options.solvers, CancellationToken(drop_step_)),
      rows_(simulation_.runs()),
      work_(simulation_.runs()),
      reasons_(simulation_.runs()) {
  if (options.paused) simulation_.pause();
  published_.runs.resize(simulation_.runs());
  for (std::size_t i = 0; i < published_.runs.size(); ++i) {
    published_.runs[i].history.set_diagnosed(simulation_.run(i).settings().diagnose);
  }
  begin_generation();
  publish();
  thread_ = std::thread([this] { work(); });
}

LiveWorker::~LiveWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = drop_step_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool LiveWorker::submit(const Command& command) {
  {
    const std::lock_guard lock(mutex_);
    const bool drags = std::holds_alternative<Drag>(command);
    if (drags && !commands_.empty() && std::holds_alternative<Drag>(commands_.back())) commands_.pop_back();
    if (commands_.size() >= max_commands) return false;
    commands_.push_back(command);
    if (goes_before_the_step(command)) drop_step_ = true;
  }
  wake_.notify_one();
  return true;
}

void LiveWorker::set_alarm(std::function<void()> alarm) {
  const std::lock_guard lock(mutex_);
  alarm_ = std::move(alarm);
}

void LiveWorker::watched_by(std::size_t pages) {
  {
    const std::lock_guard lock(mutex_);
    watchers_ = pages;
    unwatched_since_ = Clock::now();
  }
  wake_.notify_one();
}

void LiveWorker::work() {
  pace_.restart(simulated());
  ratio_.restart(simulated());
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    if (apply_commands()) {
      changed_ = obeyed_ = true;
      last_obeyed_ = Clock::now();
    }
    const bool rests = resting();
    const bool idle = simulation_.paused() || rests;
    const double speed = simulation_.speed();
    const bool due = !idle && (speed == 0.0 || simulated() < pace_.due(speed));
    if (due) step();
    if (ready_to_publish(!due)) publish();
    if (idle) {
      wait(std::nullopt, rests);
      pace_.restart(simulated());
      ratio_.restart(simulated());
    } else if (!due) {
      wait(pace_.moment(simulated(), speed), false);
    } else if (speed > 0.0 && pace_.due(speed) - simulated() > largest_lag * speed) {
      pace_.restart(simulated());
    }
  }
}

bool LiveWorker::apply_commands() {
  std::size_t waiting = 0;  // those that come meanwhile have their turn after the next step
  {
    const std::lock_guard lock(mutex_);
    waiting = commands_.size();
  }
  for (std::size_t i = 0; i < waiting; ++i) obey(next_command());
  return waiting > 0;
}

/// Takes the first waiting command. If one behind it must not wait for steps, no step is taken before that one.
Command LiveWorker::next_command() {
  const std::lock_guard lock(mutex_);
  Command command = std::move(commands_.front());
  commands_.pop_front();
  drop_step_ = stopping_ || std::any_of(commands_.begin(), commands_.end(), goes_before_the_step);
  return command;
}

void LiveWorker::obey(const Command& command) {
  try {
    apply(command);
    const auto* control = std::get_if<Control>(&command);
    if (control && *control == Control::step) note_step();
    if (const auto* drag = std::get_if<Drag>(&command)) {
      drag_number_ = drag->number;
    } else {
      pace_.restart(simulated());
    }
  } catch (const InputError& error) {
    publish_error(error.what());
  } catch (const Cancelled&) {  // a single step: the command that cancelled it comes next
  }
  if (simulation_.generation() != generation_) begin_generation();
}

/// Energy that a command gives or takes, by another gravity or a new body, counts as outside work.
void LiveWorker::apply(const Command& command) {
  if (std::holds_alternative<Control>(command)) return simulation_.apply(command);
  std::vector<double> before;
  const auto energy = [this](std::size_t i) {
    return energy_of(simulation_.run(i).model(), simulation_.run(i).state()).total();
  };
  for (std::size_t i = 0; i < work_.size(); ++i) before.push_back(energy(i));
  simulation_.apply(command);
  for (std::size_t i = 0; i < work_.size(); ++i) work_[i] += energy(i) - before[i];
}

void LiveWorker::step() {
  try {
    simulation_.step();
    note_step();
  } catch (const InputError& error) {
    simulation_.pause();
    changed_ = true;
    publish_error(error.what());
  } catch (const Cancelled&) {  // taken again after the commands that wait
  }
}

void LiveWorker::note_step() {
  for (std::size_t i = 0; i < simulation_.runs(); ++i) {
    const World& world = simulation_.run(i);
    const StepReport& report = world.last_report();
    work_[i] += report.work;
    rows_[i].push_back(step_row(world.state(), report, world.energy(), work_[i]));
    const std::string& told = report.reason.empty() ? report.warning : report.reason;
    if (!told.empty()) reasons_[i].push_back({world.state().step, told});
  }
  fresh_ = true;
}

/// `idle`: there is time for it. Otherwise frames are published at fixed intervals or, while somebody waits for them,
/// as soon as they are made: steps that answer a drag may be slow.
bool LiveWorker::ready_to_publish(bool idle) const {
  if (changed_ || !fresh_) return changed_;
  const auto now = Clock::now();
  const Seconds interval = now - last_obeyed_ < haste ? hasty_interval : frame_interval;
  return idle || obeyed_ || now - last_publication_ >= interval;
}

/// Whether no page has looked for so long that the run rests.
bool LiveWorker::resting() {
  if (rest_after_.count() <= 0.0) return false;
  const std::lock_guard lock(mutex_);
  return watchers_ == 0 && Clock::now() - unwatched_since_ >= rest_after_;
}

/// Sleeps until a command comes, or a page while the run rests, but at most until the given time. A page that came
/// since the run began to rest counts.
void LiveWorker::wait(std::optional<Clock::time_point> until, bool rests) {
  std::unique_lock lock(mutex_);
  const auto called = [this, rests] { return stopping_ || !commands_.empty() || (rests && watchers_ > 0); };
  if (until) {
    wake_.wait_until(lock, *until, called);
  } else {
    wake_.wait(lock, called);
  }
}

/// After a reset or a shot: pages are to get the scene, and after a reset the old steps are void.
void LiveWorker::begin_generation() {
  const bool restarted = generation_ == 0 || simulation_.resets() != resets_;
  const auto scene = std::make_shared<Scene>(simulation_.scene());
  const Energy energy = energy_of(scene->model, scene->initial);
  fresh_ = true;
  generation_ = simulation_.generation();
  resets_ = simulation_.resets();
  const std::lock_guard lock(mutex_);
  published_.scene_version = generation_;
  published_.scene = scene;
  for (LiveRun& run : published_.runs) run.frame.reset();  // it may have other bodies; the next one comes soon
  if (!restarted) return;
  published_.initial = energy;
  frame_number_ = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].clear();
    work_[i] = 0.0;
    reasons_[i].clear();
    published_.runs[i].history.clear();
  }
}

LiveState LiveWorker::state() const {
  LiveState state;
  state.paused = simulation_.paused();
  for (std::size_t i = 0; i < simulation_.runs(); ++i) state.settings.push_back(simulation_.run(i).settings());
  state.gravity = simulation_.scene().model.gravity;
  state.mu = simulation_.mu();
  state.speed = simulation_.speed();
  state.dragging = simulation_.dragged();
  state.simulated = simulated();
  return state;
}

/// One per run.
std::vector<std::shared_ptr<FrameTable>> LiveWorker::frames() const {
  std::vector<std::shared_ptr<FrameTable>> frames;
  for (std::size_t i = 0; i < simulation_.runs(); ++i) {
    const World& world = simulation_.run(i);
    auto frame = std::make_shared<FrameTable>();
    frame->run = static_cast<int>(i);
    frame->first = frame_number_;
    frame->drag = drag_number_;
    frame->add(world.state(), world.contacts(), world.joints());
    frames.push_back(std::move(frame));
  }
  return frames;
}

/// Publishes the newest frame if there is one, the rows since the last time, and the state when it has changed or is
/// old.
void LiveWorker::publish() {
  auto newest = fresh_ ? frames() : std::vector<std::shared_ptr<FrameTable>>();
  frame_number_ += fresh_ ? 1 : 0;
  last_publication_ = Clock::now();
  const bool tell_state = changed_ || last_publication_ - last_state_ >= state_interval;
  LiveState now = state();
  now.ratio = simulation_.paused() ? 0.0 : ratio_.update(now.simulated);

  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < published_.runs.size(); ++i) {
    LiveRun& run = published_.runs[i];
    if (fresh_) run.frame = std::move(newest[i]);
    for (const StepRow& row : rows_[i]) run.history.add(row);
    for (const RecordedReason& reason : reasons_[i]) run.history.add_reason(reason.step, reason.reason);
    rows_[i].clear();
    reasons_[i].clear();
  }
  // Who commanded something waits for the first steps that show it.
  const bool awaited = last_publication_ - last_obeyed_ < haste;
  if (awaited && (fresh_ || simulation_.paused()) && alarm_) alarm_();
  if (fresh_) obeyed_ = false;
  fresh_ = false;
  if (!tell_state) return;
  published_.state = std::move(now);
  ++published_.state_version;
  last_state_ = last_publication_;
  changed_ = false;
}

void LiveWorker::publish_error(const std::string& what) {
  const std::lock_guard lock(mutex_);
  published_.error = what;
  ++published_.error_version;
}

}  // namespace cardhouse::viewer
