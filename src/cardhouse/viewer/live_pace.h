// Simulated time and the clock on the wall.
#pragma once

#include <chrono>

namespace cardhouse::viewer {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

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

}  // namespace cardhouse::viewer
