#pragma once

#include <chrono>

namespace cardhouse {

/// Wall time since construction or the last lap, in seconds. For reports only: no decision reads it.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Seconds since the last lap; starts the next one.
  double lap() {
    const auto now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace cardhouse
