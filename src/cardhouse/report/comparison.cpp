#include "cardhouse/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cardhouse/report/json_values.h"

namespace cardhouse {
namespace {

Json json_of(const ComparisonRow& row) {
  Json seconds_to = Json::object();
  for (std::size_t i = 0; i < compared_tolerances.size(); ++i) {
    seconds_to[short_number(compared_tolerances[i])] = optional_value(row.seconds_to[i]);
  }
  Json stages = Json::array();
  for (const ComparedStage& stage : row.stages) {
    stages.push_back(
        {{"name", stage.name}, {"runs", stage.runs}, {"ends", stage.ends}, {"seconds", number(stage.seconds)}});
  }
  const auto of_run = [&](auto get) { return row.run ? Json(get(*row.run)) : Json(nullptr); };
  return {{"problem", row.problem},
          {"solver", row.solver},
          {"status", row.status},
          {"iterations", row.iterations},
          {"seconds", number(row.seconds)},
          {"residual", number(row.residual)},
          {"natural_map", number(row.natural_map)},
          {"seconds_to", seconds_to},
          {"stands", row.run ? optional_value(row.run->stands) : Json(nullptr)},
          {"steps", of_run([](const ComparedRun& run) { return run.steps; })},
          {"uncertified_steps", of_run([](const ComparedRun& run) { return run.uncertified_steps; })},
          {"reason", row.reason.empty() ? Json(nullptr) : Json(row.reason)},
          {"stages", row.stages.empty() ? Json(nullptr) : stages}};
}

/// Cells of a table; the first two columns lean left, numbers lean right.
using Cells = std::vector<std::vector<std::string>>;

/// Characters, not bytes: all that stand here are one column wide.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string aligned(const Cells& cells) {
  std::vector<std::size_t> width;
  for (const auto& line : cells) {
    width.resize(std::max(width.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], columns_of(line[i]));
  }
  std::string text;
  for (const auto& line : cells) {
    std::string words;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string space(width[i] - columns_of(line[i]), ' ');
      words += "  " + (i < 2 ? line[i] + space : space + line[i]);
    }
    text += words.substr(0, words.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string error_cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.1e}", value) : "–";
}

std::string seconds_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : "–";
}

std::string stands_cell(const std::optional<bool>& stands) {
  if (!stands) return "–";
  return *stands ? "stands" : "fell";
}

std::vector<std::string> file_cells(const ComparisonRow& row) {
  std::vector<std::string> line = {row.solver,
                                   row.status,
                                   fmt::format("{}", row.iterations),
                                   seconds_cell(row.seconds),
                                   error_cell(row.residual),
                                   error_cell(row.natural_map)};
  for (const auto& seconds : row.seconds_to) line.push_back(seconds_cell(seconds));
  return line;
}

std::vector<std::string> scene_cells(const ComparisonRow& row) {
  return {row.solver,
          row.status,
          fmt::format("{}", row.run->steps),
          fmt::format("{}", row.run->uncertified_steps),
          fmt::format("{}", row.iterations),
          seconds_cell(row.seconds),
          error_cell(row.residual),
          stands_cell(row.run->stands)};
}

std::string stage_block(const ComparisonRow& row) {
  Cells cells = {{"  stage of " + row.solver, "", "runs", "ends", "seconds"}};
  for (const ComparedStage& stage : row.stages) {
    cells.push_back({"  " + stage.name, "", fmt::format("{}", stage.runs), fmt::format("{}", stage.ends),
                     seconds_cell(stage.seconds)});
  }
  return aligned(cells);
}

using RowIterator = std::vector<ComparisonRow>::const_iterator;

std::string block(RowIterator begin, RowIterator end) {
  Cells cells;
  if (begin->run) {
    cells = {{"solver", "status", "steps", "uncertified", "iterations", "seconds", "residual", "outcome"}};
    for (auto row = begin; row != end; ++row) cells.push_back(scene_cells(*row));
  } else {
    cells = {{"solver", "status", "iterations", "seconds", "residual", "natural map"}};
    for (const double tolerance : compared_tolerances) cells[0].push_back("s to " + short_number(tolerance));
    for (auto row = begin; row != end; ++row) cells.push_back(file_cells(*row));
  }
  std::string text = begin->problem + "\n" + aligned(cells);
  for (auto row = begin; row != end; ++row) {
    if (!row->reason.empty()) text += fmt::format("  {}: {}\n", row->solver, row->reason);
    if (!row->stages.empty()) text += stage_block(*row);
  }
  return text + "\n";
}

std::vector<std::string> solvers_in(const std::vector<ComparisonRow>& rows) {
  std::vector<std::string> solvers;
  for (const ComparisonRow& row : rows) {
    if (std::find(solvers.begin(), solvers.end(), row.solver) == solvers.end()) solvers.push_back(row.solver);
  }
  return solvers;
}

/// How many files each solver solved; empty for fewer than two.
std::string solved_counts(const std::vector<ComparisonRow>& rows) {
  Cells cells = {{"files solved to", ""}};
  for (const double tolerance : compared_tolerances) cells[0].push_back(short_number(tolerance));
  std::int64_t most = 0;
  for (const std::string& solver : solvers_in(rows)) {
    std::int64_t files = 0;
    std::array<int, compared_tolerances.size()> solved{};
    for (const ComparisonRow& row : rows) {
      if (row.solver != solver || row.run) continue;
      ++files;
      for (std::size_t i = 0; i < solved.size(); ++i) solved[i] += row.seconds_to[i] ? 1 : 0;
    }
    most = std::max(most, files);
    cells.push_back({solver, ""});
    for (const int count : solved) cells.back().push_back(fmt::format("{} of {}", count, files));
  }
  return most < 2 ? "" : aligned(cells);
}

}  // namespace

std::string comparison_json(const std::vector<ComparisonRow>& rows) {
  Json json = Json::array();
  for (const ComparisonRow& row : rows) json.push_back(json_of(row));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_table(const std::vector<ComparisonRow>& rows) {
  std::string text;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end =
        std::find_if(begin, rows.end(), [&](const ComparisonRow& r) { return r.problem != begin->problem; });
    text += block(begin, end);
    begin = end;
  }
  return text + solved_counts(rows);
}

std::string residual_csv(const std::vector<ResidualHistory>& histories, double step) {
  std::string text = "step,time";
  std::size_t steps = 0;
  for (const ResidualHistory& history : histories) {
    text += "," + history.solver;
    steps = std::max(steps, history.residuals.size());
  }
  text += "\n";
  for (std::size_t i = 0; i < steps; ++i) {
    text += fmt::format("{},{:.9g}", i + 1, step * static_cast<double>(i + 1));
    for (const ResidualHistory& history : histories) {
      text += i < history.residuals.size() ? fmt::format(",{}", history.residuals[i]) : ",";
    }
    text += "\n";
  }
  return text;
}

Plot residual_plot(const std::string& scene, const std::vector<ResidualHistory>& histories, double tolerance) {
  // What is below is round-off of round-off: a step without contacts has 0, a step of a settled stack 1e-17.
  constexpr double no_less = 1e-18;
  double least = tolerance;
  double most = tolerance;
  Plot plot;
  plot.title = scene + ": residual of each step";
  plot.x = {"step", false};
  for (const ResidualHistory& history : histories) {
    PlotLine line;
    line.name = history.solver;
    for (std::size_t i = 0; i < history.residuals.size(); ++i) {
      const double residual = history.residuals[i];
      if (std::isfinite(residual)) most = std::max(most, residual);
      if (residual > 0.0) least = std::min(least, residual);
      line.x.push_back(static_cast<double>(i + 1));
      line.y.push_back(std::isnan(residual) ? std::numeric_limits<double>::infinity() : residual);
    }
    plot.lines.push_back(std::move(line));
  }
  least = std::pow(10.0, std::floor(std::log10(std::max(least, no_less)) - 1e-9));
  plot.y = {"residual", true, least, std::pow(10.0, std::ceil(std::log10(most) + 0.5))};
  plot.marks.push_back({"tolerance " + short_number(tolerance), tolerance});
  return plot;
}

double PerformanceProfile::share_within(double tau) const {
  const auto within = std::upper_bound(ratios.begin(), ratios.end(), tau) - ratios.begin();
  return problems > 0 ? static_cast<double>(within) / problems : 0.0;
}

std::vector<PerformanceProfile> performance_profiles(const std::vector<std::string>& solvers,
                                                     const std::vector<std::vector<std::optional<double>>>& seconds) {
  std::vector<PerformanceProfile> profiles;
  const std::size_t problems = seconds.empty() ? 0 : seconds.front().size();
  for (const std::string& solver : solvers) profiles.push_back({solver, {}, static_cast<int>(problems)});
  for (std::size_t p = 0; p < problems; ++p) {
    std::optional<double> best;
    for (const auto& of_solver : seconds) {
      if (of_solver[p]) best = std::min(best.value_or(*of_solver[p]), *of_solver[p]);
    }
    for (std::size_t s = 0; s < seconds.size(); ++s) {
      // A clock may show 0 for a problem without contacts; then all are as fast.
      if (seconds[s][p]) profiles[s].ratios.push_back(*best > 0.0 ? *seconds[s][p] / *best : 1.0);
    }
  }
  for (PerformanceProfile& profile : profiles) std::sort(profile.ratios.begin(), profile.ratios.end());
  return profiles;
}

std::string profile_csv(const std::vector<PerformanceProfile>& profiles) {
  std::vector<double> taus = {1.0};
  std::string text = "tau";
  for (const PerformanceProfile& profile : profiles) {
    taus.insert(taus.end(), profile.ratios.begin(), profile.ratios.end());
    text += "," + profile.solver;
  }
  std::sort(taus.begin(), taus.end());
  taus.erase(std::unique(taus.begin(), taus.end()), taus.end());
  text += "\n";
  for (const double tau : taus) {
    text += fmt::format("{}", tau);
    for (const PerformanceProfile& profile : profiles) text += fmt::format(",{}", profile.share_within(tau));
    text += "\n";
  }
  return text;
}

Plot profile_plot(const std::vector<PerformanceProfile>& profiles, double tolerance) {
  double most = 10.0;
  int problems = 0;
  for (const PerformanceProfile& profile : profiles) {
    if (!profile.ratios.empty()) most = std::max(most, profile.ratios.back());
    problems = profile.problems;
  }
  most = std::pow(10.0, std::ceil(std::log10(most) - 1e-9));
  Plot plot;
  plot.title = fmt::format("Performance profile: {} problems to {}", problems, short_number(tolerance));
  plot.x = {"time, in times that of the fastest solver", true, 1.0, most};
  plot.y = {"share of the problems solved within it", false, 0.0, 1.02};  // a line at 1 must not hide in the frame
  for (const PerformanceProfile& profile : profiles) {
    PlotLine line{profile.solver, {1.0}, {profile.share_within(1.0)}, true};
    for (const double ratio : profile.ratios) {
      line.x.push_back(ratio);
      line.y.push_back(profile.share_within(ratio));
    }
    line.x.push_back(most);
    line.y.push_back(line.y.back());
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

}  // namespace cardhouse
