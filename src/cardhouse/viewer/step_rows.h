// Rows of /steps: which columns there are, how several rows become one, and how they go out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/viewer/message.h"

namespace cardhouse::viewer {

struct StepColumn {
  enum class Type { real, int64, int32, uint8 };
  /// What stands for several steps. Not a number counts as largest and as smallest.
  enum class Summary { last, largest, smallest };

  std::string_view name;
  Type type = Type::real;
  Summary summary = Summary::last;
};

inline constexpr std::size_t all_step_columns = 25;
inline constexpr std::size_t plain_step_columns = 20;  ///< without the diagnosis

/// All columns, those of the diagnosis last.
std::span<const StepColumn> step_columns(bool diagnosed);
std::vector<std::string_view> step_column_names(bool diagnosed);

/// One step, in the order of step_columns(true); not a number where nothing was diagnosed. Integers are exact: they are
/// far below 2⁵³.
using StepRow = std::array<double, all_step_columns>;
/// `work`: J, done from outside since the run began
StepRow step_row(const State& state, const StepReport& report, const Energy& energy, double work);

/// One value for every `stride` values; the last may stand for fewer.
std::vector<double> summarise(std::span<const double> values, std::int64_t stride, StepColumn::Summary summary);

/// A `steps` message. `columns` in the order of step_columns, all of one length.
struct StepTableSlice {
  int run = 0;
  std::int64_t first = 0;  ///< the first step's row, before the stride
  std::int64_t stride = 1;
  std::vector<std::vector<double>> columns;
};
Message steps_message(const StepTableSlice& slice);

}  // namespace cardhouse::viewer
