#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cardhouse/io/recording_reader.h"
#include "cardhouse/viewer/step_rows.h"

namespace cardhouse::viewer {

/// The last steps of a live run, in memory that does not grow.
class StepHistory {
 public:
  static constexpr std::size_t max_rows = 60'000;   ///< a minute at a step of 1 ms, 11 MiB
  static constexpr std::size_t max_reasons = 1000;  ///< the last ones

  /// Whether rows have a diagnosis, and columns go out with it.
  void set_diagnosed(bool diagnosed) { diagnosed_ = diagnosed; }
  bool diagnosed() const { return diagnosed_; }

  void add(const StepRow& row);
  void add_reason(std::int64_t step, const std::string& reason);
  void clear();

  std::int64_t first() const { return first_; }  ///< number of the oldest row that is kept, from 0
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(rows_.size()); }
  const StepRow& row(std::int64_t number) const { return rows_[static_cast<std::size_t>(number - first_)]; }
  const std::deque<RecordedReason>& reasons() const { return reasons_; }

  /// Columns of some rows, which must be there.
  std::vector<std::vector<double>> columns(std::int64_t first, std::int64_t count) const;

 private:
  std::deque<StepRow> rows_;
  std::int64_t first_ = 0;
  bool diagnosed_ = false;
  std::deque<RecordedReason> reasons_;
};

}  // namespace cardhouse::viewer
