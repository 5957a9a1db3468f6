#include "cardhouse/viewer/step_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace cardhouse::viewer {
namespace {

using Type = StepColumn::Type;
using Summary = StepColumn::Summary;

constexpr std::array<StepColumn, all_step_columns> all_columns = {{
    {"step", Type::int64, Summary::last},
    {"time", Type::real, Summary::last},
    {"kinetic", Type::real, Summary::last},
    {"potential", Type::real, Summary::last},
    {"work", Type::real, Summary::last},
    {"residual", Type::real, Summary::largest},
    {"certified", Type::uint8, Summary::smallest},
    {"approach_speed", Type::real, Summary::largest},
    {"complementarity", Type::real, Summary::largest},
    {"missing_dissipation", Type::real, Summary::largest},
    {"cone_excess", Type::real, Summary::largest},
    {"penetration", Type::real, Summary::largest},
    {"contacts", Type::int32, Summary::largest},
    {"islands", Type::int32, Summary::largest},
    {"iterations", Type::int32, Summary::largest},
    {"status", Type::uint8, Summary::largest},
    {"seconds_collision", Type::real, Summary::largest},
    {"seconds_assembly", Type::real, Summary::largest},
    {"seconds_solve", Type::real, Summary::largest},
    {"seconds_integrate", Type::real, Summary::largest},
    {"subspace_angle", Type::real, Summary::smallest},
    {"painleve_ratio", Type::real, Summary::largest},
    {"rank", Type::int32, Summary::last},
    {"rows", Type::int32, Summary::last},
    {"pointed", Type::uint8, Summary::smallest},
}};

double summary_of(std::span<const double> values, Summary summary) {
  if (summary == Summary::last) return values.back();
  for (const double value : values) {
    if (std::isnan(value)) return value;
  }
  return summary == Summary::largest ? *std::max_element(values.begin(), values.end())
                                     : *std::min_element(values.begin(), values.end());
}

template <typename T>
void add_as(MessageBuilder& message, const std::string& name, const std::vector<double>& values) {
  std::vector<T> narrow(values.size());
  std::transform(values.begin(), values.end(), narrow.begin(), [](double value) { return static_cast<T>(value); });
  message.add(name, {static_cast<std::int64_t>(values.size())}, std::span<const T>(narrow));
}

void add_column(MessageBuilder& message, const StepColumn& column, const std::vector<double>& values) {
  const std::string name = "steps/" + std::string(column.name);
  switch (column.type) {
    case Type::real:
      return add_as<double>(message, name, values);
    case Type::int64:
      return add_as<std::int64_t>(message, name, values);
    case Type::int32:
      return add_as<std::int32_t>(message, name, values);
    case Type::uint8:
      return add_as<std::uint8_t>(message, name, values);
  }
}

}  // namespace

std::span<const StepColumn> step_columns(bool diagnosed) {
  return std::span(all_columns).first(diagnosed ? all_columns.size() : plain_step_columns);
}

std::vector<std::string_view> step_column_names(bool diagnosed) {
  std::vector<std::string_view> names;
  for (const StepColumn& column : step_columns(diagnosed)) names.push_back(column.name);
  return names;
}

StepRow step_row(const State& state, const StepReport& report, const Energy& energy, double work) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Certificate& certificate = report.certificate;
  const std::optional<Diagnosis>& diagnosis = report.diagnosis;
  return {static_cast<double>(state.step),
          state.time,
          energy.kinetic,
          energy.potential,
          work,
          certificate.residual,
          report.certified ? 1.0 : 0.0,
          certificate.approach_speed,
          certificate.complementarity,
          certificate.missing_dissipation,
          certificate.cone_excess,
          report.penetration,
          static_cast<double>(report.contacts),
          static_cast<double>(report.islands),
          static_cast<double>(report.iterations),
          static_cast<double>(report.status),
          report.seconds.collision,
          report.seconds.assembly,
          report.seconds.solve,
          report.seconds.integrate,
          diagnosis ? diagnosis->subspace_angle : none,
          diagnosis ? diagnosis->painleve_ratio : none,
          diagnosis ? static_cast<double>(diagnosis->rank) : none,
          diagnosis ? static_cast<double>(diagnosis->rows) : none,
          diagnosis ? static_cast<double>(diagnosis->pointed) : none};
}

std::vector<double> summarise(std::span<const double> values, std::int64_t stride, Summary summary) {
  if (stride == 1) return {values.begin(), values.end()};
  std::vector<double> result;
  const auto length = static_cast<std::size_t>(stride);
  for (std::size_t first = 0; first < values.size(); first += length) {
    result.push_back(summary_of(values.subspan(first, std::min(length, values.size() - first)), summary));
  }
  return result;
}

Message steps_message(const StepTableSlice& slice) {
  MessageBuilder message("steps", slice.run);
  message.set("first", slice.first);
  message.set("count", slice.columns.front().size());
  message.set("stride", slice.stride);
  const auto columns = step_columns(slice.columns.size() > plain_step_columns);
  for (std::size_t i = 0; i < columns.size(); ++i) add_column(message, columns[i], slice.columns[i]);
  return message.finish();
}

}  // namespace cardhouse::viewer
