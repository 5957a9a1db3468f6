#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "cardhouse/viewer/message.h"
#include "cardhouse/viewer/request.h"

namespace cardhouse::viewer {

/// At most two runs are compared.
inline constexpr std::size_t max_runs = 2;

/// What one page has been sent so far; the source keeps it up to date. Counts start at 1, so that 0 means nothing.
struct Progress {
  std::uint64_t scene = 0;
  std::uint64_t state = 0;
  std::uint64_t error = 0;
  struct Run {
    std::int64_t frame = -1;     ///< the last one sent
    std::int64_t next_row = -1;  ///< of the steps; −1: from the oldest
  };
  std::array<Run, max_runs> runs;
};

/// What pages look at: a recording or a live run. Called from the server's thread alone, but for the alarm that it sets
/// off itself.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// News for a page that has received `progress` so far. Never more than a few messages of bounded size: what a slow
  /// page missed is skipped.
  virtual std::vector<Message> news(Progress& progress) = 0;

  /// The answer to a page's request: at most one message. A request that cannot be met is answered by an `error`.
  virtual std::vector<Message> answer(const Request& request) = 0;

  /// `alarm` is called, from any thread, when there is news that should not wait for the next tick: the effect of a
  /// page's own command. An empty function removes the alarm.
  virtual void set_alarm(std::function<void()> alarm) { (void)alarm; }

  /// How many pages look, after every change.
  virtual void watched_by(std::size_t pages) { (void)pages; }
};

}  // namespace cardhouse::viewer
