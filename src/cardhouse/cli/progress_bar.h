#pragma once

#include <cstdint>
#include <string>

#include "cardhouse/base/stopwatch.h"
#include "cardhouse/stepping/records/step_report.h"

namespace cardhouse::cli {

/// Shows a run's progress on stderr: a bar that is redrawn on a terminal, a line every few seconds elsewhere.
class ProgressBar {
 public:
  struct Range {
    std::string scene;
    std::int64_t first_step = 0;
    std::int64_t last_step = 0;
    double duration = 0.0;  ///< s, simulated, at the last step
    /// s, simulated, at the start of a run whose steps are not counted beforehand; negative: they are.
    double first_time = -1.0;
  };
  enum class Style { none, bar, lines };
  /// The style that fits where stderr goes.
  static Style fitting_style(bool quiet);

  ProgressBar(Range range, Style style);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// After each step; draws only when it is time to.
  void update(const State& state, const StepReport& report);
  /// Clears the bar, so that what follows starts on an empty line.
  void finish();

 private:
  std::string numbers(const State& state, const StepReport& report) const;
  double fraction(const State& state) const;

  Range range_;
  Style style_;
  Stopwatch stopwatch_;
  double next_drawing_;  ///< s on the stopwatch
  std::int64_t uncertified_ = 0;
  bool drawn_ = false;
};

}  // namespace cardhouse::cli
