#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cardhouse/viewer/live_news.h"
#include "cardhouse/viewer/live_options.h"
#include "cardhouse/viewer/live_pace.h"
#include "cardhouse/viewer/live_simulation.h"

namespace cardhouse::viewer {

/// Simulates on its own thread, carries out commands between two steps, and publishes the results. Callers never wait
/// for a step.
class LiveWorker {
 public:
  /// Throws InputError for what can't be simulated.
  LiveWorker(Scene scene, const LiveOptions& options);
  /// Ends the thread, and drops the step that it is in.
  ~LiveWorker();
  LiveWorker(const LiveWorker&) = delete;
  LiveWorker& operator=(const LiveWorker&) = delete;

  /// False when too many commands wait. A waiting drag is replaced by a newer one. Commands that need not wait for the
  /// end of the current step cancel it; the step is dropped.
  bool submit(const Command& command);
  /// See Source.
  void set_alarm(std::function<void()> alarm);
  void watched_by(std::size_t pages);

  /// Calls `read` with what is published, under the lock: it should copy only pointers and a few rows.
  template <typename Read>
  auto with_published(Read&& read) {
    const std::lock_guard lock(mutex_);
    return std::forward<Read>(read)(std::as_const(published_));
  }

 private:
  void work();
  bool apply_commands();
  Command next_command();
  void obey(const Command& command);
  void apply(const Command& command);
  void step();
  void note_step();
  bool ready_to_publish(bool idle) const;
  bool resting();
  void wait(std::optional<Clock::time_point> until, bool rests);
  void begin_generation();
  void publish();
  void publish_error(const std::string& what);
  std::vector<std::shared_ptr<FrameTable>> frames() const;
  LiveState state() const;
  double simulated() const { return simulation_.run(0).state().time; }

  const Seconds rest_after_;

  /// Set, with the lock held, when the run ends or when a command must not wait for the current step. The simulation
  /// checks it within its steps.
  std::atomic<bool> drop_step_ = false;

  // Of the simulation's thread.
  LiveSimulation simulation_;
  Pace pace_;
  RatioMeter ratio_;
  std::vector<std::vector<StepRow>> rows_;  ///< per run, not yet published
  std::vector<double> work_;                ///< per run, J: done from outside since the start or the last reset
  std::vector<std::vector<RecordedReason>> reasons_;
  std::uint64_t generation_ = 0;  ///< the published one
  std::uint64_t resets_ = 0;
  std::int64_t frame_number_ = 0;
  std::int64_t drag_number_ = 0;  ///< number of the last drag that took effect
  bool fresh_ = false;            ///< there is a frame that was not published
  bool changed_ = true;
  bool obeyed_ = false;  ///< commands took effect since the last published step
  Clock::time_point last_obeyed_;
  Clock::time_point last_publication_;
  Clock::time_point last_state_;

  // Shared. The lock is held only to copy pointers and a few rows.
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::deque<Command> commands_;
  std::size_t watchers_ = 0;
  Clock::time_point unwatched_since_ = Clock::now();
  std::function<void()> alarm_;
  Published published_;

  std::thread thread_;
};

}  // namespace cardhouse::viewer
