// When a long computation ends early: its time is up, or the caller cancelled it.
#pragma once

#include <atomic>
#include <exception>

#include "cardhouse/base/stopwatch.h"

namespace cardhouse {

/// A computation was cancelled by its CancellationToken. This is no error: nothing was changed.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped before it was done"; }
};

/// By this token a caller cancels a computation; the default token never does. It decides whether there is an answer,
/// never which one.
class CancellationToken {
 public:
  CancellationToken() = default;
  /// The caller sets the flag, at any time and from any thread or signal handler. The flag must outlive all tokens.
  explicit CancellationToken(const std::atomic<bool>& flag) : flag_(&flag) {}

  bool requested() const { return flag_ && flag_->load(std::memory_order_relaxed); }
  /// Throws Cancelled when the flag is set.
  void throw_if_requested() const {
    if (requested()) throw Cancelled();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

/// Answers both questions at once: cancelled, or out of time? Iterations ask as they go. Reads a clock only when there
/// is a limit.
class Deadline {
 public:
  /// `seconds` of wall time from now or from the last restart; 0: no limit.
  /// `within`: the deadline of the enclosing computation, which must outlive this one.
  explicit Deadline(double seconds = 0.0, CancellationToken token = {}, const Deadline* within = nullptr)
      : limit_(seconds), token_(token), within_(within) {}

  void restart() { stopwatch_ = Stopwatch(); }
  double seconds() const { return stopwatch_.seconds(); }
  bool cancelled() const { return token_.requested(); }
  bool passed() const {
    return token_.requested() || (limit_ > 0.0 && stopwatch_.seconds() > limit_) || (within_ && within_->passed());
  }

 private:
  double limit_;
  CancellationToken token_;
  const Deadline* within_;
  Stopwatch stopwatch_;
};

}  // namespace cardhouse
