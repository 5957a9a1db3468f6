#include "cardhouse/report/summary.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cardhouse/report/json_values.h"
#include "cardhouse/report/version.h"

namespace cardhouse {
namespace {

Json mean_max(const RunSummary::MeanMax& figures) {
  return {{"mean", number(figures.mean)}, {"max", number(figures.max)}};
}

Json count_mean_max(const RunSummary::MeanMax& figures) {
  return {{"mean", number(figures.mean)}, {"max", static_cast<std::int64_t>(figures.max)}};
}

Json energy(const RunSummary::EnergyFigures& figures) {
  return {{"initial", number(figures.initial)},
          {"final", number(figures.final)},
          {"max_gain", number(figures.max_gain)},
          {"total_gain", number(figures.total_gain)}};
}

Json displacement_json(const RunSummary& summary) {
  const auto& after = summary.max_displacement_after_1s;
  return {{"max", number(summary.max_displacement)},
          {"body", summary.farthest_body.empty() ? Json(nullptr) : Json(summary.farthest_body)},
          {"max_after_1s", after ? number(*after) : Json(nullptr)}};
}

/// Null for a scene without joints.
Json joints(const RunSummary& summary) {
  if (summary.joints == 0) return nullptr;
  return {{"count", summary.joints},
          {"initial_violation", number(summary.initial_joint_violation.length)},
          {"initial_angle_violation", number(summary.initial_joint_violation.angle)},
          {"max_violation", number(summary.joint_violation.length)},
          {"max_angle_violation", number(summary.joint_violation.angle)}};
}

Json seconds(const RunSummary::Seconds& seconds) {
  return {{"total", number(seconds.total)},         {"collision", number(seconds.collision)},
          {"assembly", number(seconds.assembly)},   {"solve", number(seconds.solve)},
          {"integrate", number(seconds.integrate)}, {"output", number(seconds.output)}};
}

Json worst_uncertified(const std::optional<UncertifiedStep>& worst) {
  if (!worst) return nullptr;
  return {{"step", worst->step}, {"residual", number(worst->residual)}, {"reason", worst->reason}};
}

}  // namespace

std::string_view run_end_name(RunEnd end) {
  switch (end) {
    case RunEnd::done:
      return "done";
    case RunEnd::interrupted:
      return "interrupted";
    case RunEnd::uncertified:
      return "uncertified";
    case RunEnd::stopped:
      return "stopped";
  }
  return "unknown";
}

std::optional<bool> verdict(const RunSummary& summary) {
  if (summary.end != RunEnd::done && summary.stands == true) return std::nullopt;
  return summary.stands;
}

std::string summary_text(const RunSummary& summary) {
  const Json json = {
      {"version", version()},
      {"scene", summary.scene},
      {"parameters", summary.parameters},
      {"solver", summary.solver},
      {"step", number(summary.step)},
      {"duration", number(summary.duration)},
      {"tolerance", number(summary.tolerance)},
      {"max_seconds", summary.max_seconds > 0.0 ? number(summary.max_seconds) : Json(nullptr)},
      {"threads", summary.threads},
      {"bodies", summary.bodies},
      {"dofs", summary.dofs},
      {"exit", run_end_name(summary.end)},
      {"exit_reason", summary.stop_reason.empty() ? Json(nullptr) : Json(summary.stop_reason)},
      {"time", number(summary.time)},
      {"first_step", summary.first_step},
      {"first_time", number(summary.first_time)},
      {"steps", summary.steps},
      {"contacts", count_mean_max(summary.contacts)},
      {"iterations", count_mean_max(summary.iterations)},
      {"methods", summary.methods},
      {"residual", mean_max(summary.residual)},
      {"certified_steps", summary.certified_steps},
      {"uncertified_steps", summary.uncertified_steps},
      {"worst_uncertified", worst_uncertified(summary.worst_uncertified)},
      {"step_length",
       {{"min", number(summary.least_length)}, {"max", number(summary.most_length)}, {"rejected", summary.rejected}}},
      {"penetration", {{"max", number(summary.max_penetration)}}},
      {"relaxed", {{"steps", summary.relaxed_steps}, {"overlap_left", number(summary.overlap_left)}}},
      {"split", {{"steps", summary.split_steps}, {"most_parts", summary.most_parts}}},
      {"hairlines", {{"steps", summary.hairline_steps}, {"largest", number(summary.hairline_gap)}}},
      {"joints", joints(summary)},
      {"displacement", displacement_json(summary)},
      {"rotation", {{"max", number(summary.max_rotation)}}},
      {"energy", energy(summary.energy)},
      {"stands", optional_value(verdict(summary))},
      {"seconds", seconds(summary.seconds)},
      {"cpu_seconds", number(summary.cpu_seconds)},
      {"peak_memory_mb", number(summary.peak_memory_mb)},
      {"state_hash", fmt::format("{:016x}", summary.state_hash)},
  };
  // A scene's name comes from a file and may hold bytes that are not UTF-8; they must not spoil the summary.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cardhouse
