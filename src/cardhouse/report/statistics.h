#pragma once

#include <optional>
#include <vector>

#include "cardhouse/base/stopwatch.h"
#include "cardhouse/model/energy.h"
#include "cardhouse/report/rest_watch.h"
#include "cardhouse/report/summary.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// The farthest that some bodies' centres, or nodes, get from where they were at a given moment.
class Excursion {
 public:
  /// Bodies by index. `moment` in s; at or before the scene's start it means the initial pose. Positions count in the
  /// frame of the body `frame`; −1: the world.
  Excursion(std::vector<int> bodies, double moment, const Scene& scene, const State& start, int frame = -1);

  void see(const State& state);

  /// m; NaN when a position was NaN. Empty when no state at the moment was seen: not reached, or before the first
  /// state.
  std::optional<double> largest() const;
  /// Whether a state after the moment was seen.
  bool went_on() const { return went_on_; }
  /// The body that it is of; −1 while none has moved.
  int farthest() const { return farthest_; }

 private:
  std::vector<int> bodies_;
  int frame_;
  double earliest_;  ///< s: the states nearest to the moment lie between these
  double latest_;
  std::vector<Vec3> reference_;  ///< empty before the moment
  bool seen_ = false;
  bool went_on_ = false;
  double largest_ = 0.0;
  int farthest_ = -1;
};

/// Gathers a run's summary step by step, in memory that does not grow. Its clocks start when it is made.
class RunStatistics {
 public:
  /// `start` is the state before the first step: the scene's initial one, or one restored from a recording.
  RunStatistics(const Scene& scene, const State& start, const Energy& energy);

  /// After each step.
  void add_step(const State& state, const StepReport& report, const Energy& energy);
  void add_output_seconds(double seconds) { summary_.seconds.output += seconds; }
  /// Why the run ends before its time, in words.
  void set_stop_reason(const std::string& reason) { summary_.stop_reason = reason; }
  void set_diverged(const DivergedStep& step) { summary_.diverged = step; }

  /// Whether a body has gone beyond the scene's rule; never without one.
  bool has_fallen() const { return summary_.fell_at.has_value(); }
  /// By the bodies that the rule names, or all; not before the rule's moment.
  bool is_at_rest() const;

  /// The summary so far.
  RunSummary summary(RunEnd end, const State& state) const;

 private:
  void add_length(const StepReport& report);
  void add_certificate(const State& state, const StepReport& report);
  void add_energy(double total);
  void add_poses(const State& state);
  void date_fall(const State& state);

  RunSummary summary_;  ///< the means hold sums until summary() divides them
  std::vector<int> dynamic_;
  std::vector<std::string> body_names_;
  std::vector<Quat> start_orientations_;  ///< one per dynamic body
  Excursion from_start_;
  Excursion from_first_second_;
  std::optional<Excursion> from_rule_;
  double max_stands_displacement_ = 0.0;
  RestWatch rest_;
  double last_energy_ = 0.0;
  Stopwatch stopwatch_;
  double cpu_start_ = 0.0;
};

}  // namespace cardhouse
