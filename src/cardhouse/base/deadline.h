// When a long computation is to end before it is done: its time is up, or somebody wishes it.
#pragma once

#include <atomic>
#include <exception>

#include "cardhouse/base/stopwatch.h"

namespace cardhouse {

/// A computation was given up because of a StopWish. No error: what it was to change is as it was before.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped before it was done"; }
};

/// Somebody's wish that a computation ends soon, as the computation sees it; nobody's by default. It decides whether
/// there is an answer, never which one.
class StopWish {
 public:
  StopWish() = default;
  /// Whoever wishes sets the flag, at any time and from any thread or signal handler. It must outlive those who look.
  explicit StopWish(const std::atomic<bool>& flag) : flag_(&flag) {}

  bool made() const { return flag_ && flag_->load(std::memory_order_relaxed); }
  /// Throws Stopped when the wish was made.
  void obey() const {
    if (made()) throw Stopped();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

/// Both reasons in one question, which iterations ask as they go. Reads a clock only when there is a limit.
class Deadline {
 public:
  /// `seconds` of wall time from now or from the last restart; 0: no limit.
  /// `within`: of the computation that this one is a part of, and which outlives it.
  explicit Deadline(double seconds = 0.0, StopWish wish = {}, const Deadline* within = nullptr)
      : limit_(seconds), wish_(wish), within_(within) {}

  void restart() { stopwatch_ = Stopwatch(); }
  double seconds() const { return stopwatch_.seconds(); }
  bool stop_wished() const { return wish_.made(); }
  bool passed() const {
    return wish_.made() || (limit_ > 0.0 && stopwatch_.seconds() > limit_) || (within_ && within_->passed());
  }

 private:
  double limit_;
  StopWish wish_;
  const Deadline* within_;
  Stopwatch stopwatch_;
};

}  // namespace cardhouse
