#include "cardhouse/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cardhouse/report/outcome.h"

namespace cardhouse {
namespace {

std::string row(const std::string& label, const std::string& value) {
  return fmt::format("  {:<14}  {}\n", label, value);
}

std::string count(double value) {
  return fmt::format("{:.0f}", value);
}

/// "1 step", "2 steps".
std::string steps(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "step" : "steps");
}

/// "1 ms", or "1 µs … 1 ms" of adaptive steps.
std::string lengths(const RunSummary& summary) {
  if (summary.steps == 0 || summary.least_length == summary.most_length) return with_unit(summary.step, "s");
  return with_unit(summary.least_length, "s") + " … " + with_unit(summary.most_length, "s");
}

/// The title. It counts what this run did, as all rows below do; for a continued run its start follows.
std::string title(const RunSummary& summary) {
  std::string words =
      fmt::format("{}: {:.6g} s simulated in {} of {} by {}", summary.scene, summary.time - summary.first_time,
                  steps(summary.steps), lengths(summary), summary.solver);
  if (summary.first_step > 0) {
    words += fmt::format(", from step {} ({:.6g} s) to step {} ({:.6g} s)", summary.first_step, summary.first_time,
                         summary.first_step + summary.steps, summary.time);
  }
  return words + "\n\n";
}

/// Whether a finished run went past the requested duration, because steps are whole.
bool went_past(const RunSummary& summary) {
  return summary.end == RunEnd::done && summary.steps > 0 && summary.time > summary.duration + 1e-6 * summary.step;
}

std::string parameters(const RunSummary& summary) {
  std::string words;
  for (const auto& [name, value] : summary.parameters) {
    words += fmt::format("{}{}={}", words.empty() ? "" : " ", name, value);
  }
  return words;
}

/// "fell at 1.2 s (stone_3)", "moving at 0.5 m/s (stone_3)".
std::string outcome_words(const RunSummary& summary) {
  const auto with_body = [&](const std::string& words, const std::string& body) {
    return body.empty() || summary.bodies < 2 ? words : words + " (" + body + ")";
  };
  const std::optional<Outcome> found = outcome_of(summary);
  if (!found) return summary.stands == true ? "stood so far" : "–";
  switch (*found) {
    case Outcome::stands:
      return "stands";
    case Outcome::fell:
      return summary.fell_at ? with_body(fmt::format("fell at {:.6g} s", *summary.fell_at), summary.fell_body) : "fell";
    case Outcome::moving:
      return with_body("moving at " + with_unit(summary.speed, "m/s"), summary.fastest_body);
    case Outcome::rest:
      break;
  }
  return "at rest";
}

/// "parts helped 3 of 4 times, …"; empty when nothing was tried.
std::string rescues_in_words(const RescueCounts& counts) {
  std::string words;
  for (const RescueRow& row : rescue_table()) {
    const RescueTally& tally = counts.of(row.rescue);
    if (tally.tried == 0) continue;
    words += fmt::format("{}{} helped {} of {} times", words.empty() ? "" : ", ", row.name, tally.helped, tally.tried);
  }
  return words;
}

std::string outcome(const RunSummary& summary) {
  std::string words = outcome_words(summary);
  const double t = summary.time;
  if (summary.end == RunEnd::interrupted) words += fmt::format("  (interrupted at t = {:.6g} s)", t);
  if (summary.end == RunEnd::uncertified) words += fmt::format("  (stopped at t = {:.6g} s: not certified)", t);
  if (summary.end == RunEnd::stopped) words += fmt::format("  (stopped at t = {:.6g} s: can't go on)", t);
  if (summary.end == RunEnd::diverged) words += fmt::format("  (DIVERGED at t = {:.6g} s)", t);
  if (summary.end == RunEnd::fallen || summary.end == RunEnd::rest) {
    words += fmt::format("  (ended at t = {:.6g} s, as asked)", t);
  }
  return words;
}

std::string displacement(const RunSummary& summary) {
  std::string words = with_unit(summary.max_displacement, "m") + " largest";
  if (!summary.farthest_body.empty() && summary.bodies > 1) words += " (" + summary.farthest_body + ")";
  if (summary.max_displacement_after_1s) {
    words += ", " + with_unit(*summary.max_displacement_after_1s, "m") + " after the first second";
  }
  return words;
}

std::string uncertified(const RunSummary& summary) {
  const UncertifiedStep& worst = *summary.worst_uncertified;
  return fmt::format("{}; worst: step {}, residual {:.1e}{}", steps(summary.uncertified_steps), worst.step,
                     worst.residual, worst.reason.empty() ? "" : ", " + worst.reason);
}

/// "newton in 498 steps, gauss-seidel in 2": the most used first.
std::string methods(const RunSummary& summary) {
  std::vector<std::pair<std::string, std::int64_t>> used(summary.methods.begin(), summary.methods.end());
  std::stable_sort(used.begin(), used.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string words;
  for (const auto& [method, count] : used) {
    words += words.empty() ? fmt::format("{} in {}", method, steps(count)) : fmt::format(", {} in {}", method, count);
  }
  return words;
}

std::string time_per_step(const RunSummary& summary) {
  const double per_step = 1e3 / static_cast<double>(summary.steps);
  return fmt::format("{:.3g} ms of wall time", summary.seconds.total * per_step);
}

std::string phases(const RunSummary& summary) {
  const double per_step = 1e3 / static_cast<double>(summary.steps);
  const RunSummary::Seconds& s = summary.seconds;
  const std::array<std::pair<const char*, double>, 5> parts = {{{"collision", s.collision},
                                                                {"assembly", s.assembly},
                                                                {"solve", s.solve},
                                                                {"integrate", s.integrate},
                                                                {"output", s.output}}};
  std::string lines;
  for (const auto& [name, seconds] : parts) {
    const double share = s.total > 0.0 ? 100.0 * seconds / s.total : 0.0;
    lines += row("", fmt::format("{:<9} {:>9.4f} ms {:>3.0f} %", name, seconds * per_step, share));
  }
  return lines;
}

}  // namespace

std::string with_unit(double value, const std::string& unit) {
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{} {}", value, unit);
  constexpr std::array<std::pair<double, const char*>, 4> prefixes = {
      {{1.0, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};
  for (const auto& [scale, prefix] : prefixes) {
    // 0.9995 would be printed as 1.00e+03 of the smaller unit.
    if (std::abs(value) >= 0.9995 * scale) return fmt::format("{:.3g} {}{}", value / scale, prefix, unit);
  }
  return fmt::format("{:.3g} {}", value, unit);
}

std::string summary_table(const RunSummary& summary) {
  std::string table = title(summary);
  if (!summary.parameters.empty()) table += row("parameters", parameters(summary));
  if (went_past(summary)) {
    table +=
        row("duration", fmt::format("{:.6g} s asked for; whole steps end at {:.6g} s", summary.duration, summary.time));
  }
  table += row("outcome", outcome(summary));
  table += row("displacement", displacement(summary));
  table += row("rotation", with_unit(summary.max_rotation, "rad") + " largest");
  table += row("penetration", with_unit(summary.max_penetration, "m") + " deepest");
  if (summary.relaxed_steps > 0) {
    table += row("overlaps", fmt::format("{} could not remove all overlaps; at most {} left",
                                         steps(summary.relaxed_steps), with_unit(summary.overlap_left, "m")));
  }
  if (summary.kept_overlaps > 0) {
    table += row("kept",
                 fmt::format("overlaps of {} pair{} of shapes, made before the run, by up to {}", summary.kept_overlaps,
                             summary.kept_overlaps == 1 ? "" : "s", with_unit(summary.kept_depth, "m")));
  }
  if (summary.joints > 0) {
    table += row("joints", fmt::format("{}, off by {} and {} at most", summary.joints,
                                       with_unit(summary.joint_violation.length, "m"),
                                       with_unit(summary.joint_violation.angle, "rad")));
  }
  table += row("residual", fmt::format("{:.1e} largest (tolerance {:.0e})", summary.residual.max, summary.tolerance));
  table += row("certified", fmt::format("{} of {}", summary.certified_steps, steps(summary.steps)));
  if (summary.split_steps > 0) {
    table += row("split", fmt::format("{} of them were too hard as a whole and were taken in up to {} parts",
                                      summary.split_steps, summary.most_parts));
  }
  if (summary.hairline_steps > 0) {
    table += row("hairlines", fmt::format("in {} of them gaps and overlaps of up to {} were taken for closed",
                                          summary.hairline_steps, with_unit(summary.hairline_gap, "m")));
  }
  if (const std::string words = rescues_in_words(summary.rescues); !words.empty()) table += row("rescues", words);
  if (summary.worst_uncertified) table += row("NOT certified", uncertified(summary));
  table += row("contacts", fmt::format("{:.1f} mean, {} most", summary.contacts.mean, count(summary.contacts.max)));
  table +=
      row("iterations", fmt::format("{:.1f} mean, {} most", summary.iterations.mean, count(summary.iterations.max)));
  table += row("passes", fmt::format("{:.2f} mean, {} most", summary.passes.mean, count(summary.passes.max)));
  const bool chose = summary.methods.size() > 1 || summary.solver == "auto";
  if (chose && !summary.methods.empty()) table += row("methods", methods(summary));
  if (summary.steps > 0) {
    table += row("time per step", time_per_step(summary));
    table += phases(summary);
  }
  return table;
}

}  // namespace cardhouse
