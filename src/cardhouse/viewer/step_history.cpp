#include "cardhouse/viewer/step_history.h"

namespace cardhouse::viewer {

void StepHistory::add(const StepRow& row) {
  rows_.push_back(row);
  if (rows_.size() > max_rows) {
    rows_.pop_front();
    ++first_;
  }
}

void StepHistory::add_reason(std::int64_t step, const std::string& reason) {
  reasons_.push_back({step, reason});
  if (reasons_.size() > max_reasons) reasons_.pop_front();
}

void StepHistory::clear() {
  rows_.clear();
  reasons_.clear();
  first_ = 0;
}

std::vector<std::vector<double>> StepHistory::columns(std::int64_t first, std::int64_t count) const {
  std::vector<std::vector<double>> columns(step_columns(diagnosed_).size());
  for (std::int64_t number = first; number < first + count; ++number) {
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(row(number)[c]);
  }
  return columns;
}

}  // namespace cardhouse::viewer
