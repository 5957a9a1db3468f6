#include "cardhouse/report/summary.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cardhouse/report/json_values.h"
#include "cardhouse/report/outcome.h"
#include "cardhouse/report/version.h"

namespace cardhouse {
namespace {

Json mean_max(const RunSummary::MeanMax& figures) {
  return {{"mean", number(figures.mean)}, {"max", number(figures.max)}};
}

Json count_mean_max(const RunSummary::MeanMax& figures) {
  return {{"mean", number(figures.mean)}, {"max", static_cast<std::int64_t>(figures.max)}};
}

Json components(const Vec3& v) {
  return {number(v.x()), number(v.y()), number(v.z())};
}

Json momentum(const RunSummary::MomentumFigures& figures) {
  const auto both = [](const Momentum& one) {
    return Json{{"linear", components(one.linear)}, {"angular", components(one.angular)}};
  };
  const Momentum left = figures.unexplained();
  return {{"initial", both(figures.initial)},
          {"final", both(figures.final)},
          {"outside", both(figures.outside)},
          {"unexplained", {{"linear", number(left.linear.norm())}, {"angular", number(left.angular.norm())}}}};
}

Json energy(const RunSummary::EnergyFigures& figures) {
  return {{"initial", number(figures.initial)},
          {"final", number(figures.final)},
          {"max_gain", number(figures.max_gain)},
          {"total_gain", number(figures.total_gain)}};
}

Json name_or_null(const std::string& name) {
  return name.empty() ? Json(nullptr) : Json(name);
}

/// What was tried in steps that the solver did not solve, by name.
Json rescues(const RescueCounts& counts) {
  Json json = Json::object();
  for (const RescueRow& row : rescue_table()) {
    const RescueTally& tally = counts.of(row.rescue);
    json[std::string(row.name)] = {{"tried", tally.tried}, {"helped", tally.helped}};
  }
  return json;
}

Json displacement_json(const RunSummary& summary) {
  const auto& after = summary.max_displacement_after_1s;
  return {{"max", number(summary.max_displacement)},
          {"body", name_or_null(summary.farthest_body)},
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

Json diverged(const std::optional<DivergedStep>& step) {
  if (!step) return nullptr;
  return {{"step", step->step}, {"body", name_or_null(step->body)}};
}

Json step_lengths(const RunSummary& summary) {
  return {{"min", number(summary.least_length)},
          {"max", number(summary.most_length)},
          {"rejected", summary.rejected},
          {"over_tolerance", summary.over_tolerance}};
}

Json outcome_json(const RunSummary& summary) {
  const std::optional<Outcome> found = outcome_of(summary);
  return found ? Json(outcome_name(*found)) : Json(nullptr);
}

}  // namespace

Momentum RunSummary::MomentumFigures::unexplained() const {
  return {final.linear - initial.linear - outside.linear, final.angular - initial.angular - outside.angular};
}

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
    case RunEnd::diverged:
      return "diverged";
    case RunEnd::fallen:
      return "fallen";
    case RunEnd::rest:
      return "rest";
  }
  return "unknown";
}

bool came_to_its_end(RunEnd end) {
  return end == RunEnd::done || end == RunEnd::fallen || end == RunEnd::rest;
}

std::optional<bool> verdict(const RunSummary& summary) {
  const std::optional<Outcome> outcome = outcome_of(summary);
  if (outcome == Outcome::stands) return true;
  return outcome == Outcome::fell ? std::optional(false) : std::nullopt;
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
      {"max_step_seconds", summary.max_step_seconds > 0.0 ? number(summary.max_step_seconds) : Json(nullptr)},
      {"threads", summary.threads},
      {"bodies", summary.bodies},
      {"dofs", summary.dofs},
      {"exit", run_end_name(summary.end)},
      {"exit_reason", name_or_null(summary.stop_reason)},
      {"diverged", diverged(summary.diverged)},
      {"warnings", summary.warnings},
      {"time", number(summary.time)},
      {"first_step", summary.first_step},
      {"first_time", number(summary.first_time)},
      {"steps", summary.steps},
      {"contacts", count_mean_max(summary.contacts)},
      {"iterations", count_mean_max(summary.iterations)},
      {"passes", count_mean_max(summary.passes)},
      {"gap_residual", {{"max", number(summary.gap_residual)}}},
      {"methods", summary.methods},
      {"residual", mean_max(summary.residual)},
      {"certified_steps", summary.certified_steps},
      {"uncertified_steps", summary.uncertified_steps},
      {"worst_uncertified", worst_uncertified(summary.worst_uncertified)},
      {"step_length", step_lengths(summary)},
      {"penetration", {{"max", number(summary.max_penetration)}}},
      {"relaxed", {{"steps", summary.relaxed_steps}, {"overlap_left", number(summary.overlap_left)}}},
      {"kept_overlaps", {{"most", summary.kept_overlaps}, {"deepest", number(summary.kept_depth)}}},
      {"split", {{"steps", summary.split_steps}, {"most_parts", summary.most_parts}}},
      {"hairlines", {{"steps", summary.hairline_steps}, {"largest", number(summary.hairline_gap)}}},
      {"rescues", rescues(summary.rescues)},
      {"joints", joints(summary)},
      {"displacement", displacement_json(summary)},
      {"rotation", {{"max", number(summary.max_rotation)}}},
      {"energy", energy(summary.energy)},
      {"momentum", momentum(summary.momentum)},
      {"stands", optional_value(verdict(summary))},
      {"outcome", outcome_json(summary)},
      {"fell_at", optional_value(summary.fell_at)},
      {"fell_body", name_or_null(summary.fell_body)},
      {"speed", {{"max", number(summary.speed)}, {"body", name_or_null(summary.fastest_body)}}},
      {"seconds", seconds(summary.seconds)},
      {"cpu_seconds", number(summary.cpu_seconds)},
      {"peak_memory_mb", number(summary.peak_memory_mb)},
      {"state_hash", fmt::format("{:016x}", summary.state_hash)},
  };
  // A scene's name comes from a file and may hold bytes that are not UTF-8; they must not spoil the summary.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cardhouse
