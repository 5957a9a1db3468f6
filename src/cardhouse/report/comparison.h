// Solvers on the same problems, side by side: the numbers, the table, the pictures.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cardhouse/report/plot.h"

namespace cardhouse {

/// Natural-map errors that the time to is measured for.
constexpr std::array<double, 3> compared_tolerances = {1e-4, 1e-6, 1e-8};

/// A scene's run, as far as it differs from a single problem.
struct ComparedRun {
  std::int64_t steps = 0;
  std::int64_t uncertified_steps = 0;
  std::optional<bool> stands;
};

/// A stage of `auto` over all solves of a row.
struct ComparedStage {
  std::string name;
  std::int64_t runs = 0;
  std::int64_t ends = 0;  ///< solves that it ended
  double seconds = 0.0;   ///< wall
};

/// One solver on one problem: a file, or a scene's whole run. What could not be measured is NaN or empty.
struct ComparisonRow {
  std::string problem;
  std::string solver;
  std::string status;
  std::string reason;                                             ///< why it is not `converged`, in words; else empty
  std::int64_t iterations = 0;                                    ///< outer; of a scene, of all steps together
  double seconds = 0.0;                                           ///< wall; the fastest of the repetitions
  double residual = std::numeric_limits<double>::quiet_NaN();     ///< of a scene, the largest of its steps
  double natural_map = std::numeric_limits<double>::quiet_NaN();  ///< of files alone
  std::array<std::optional<double>, compared_tolerances.size()> seconds_to;  ///< s, of files alone
  std::optional<ComparedRun> run;                                            ///< of scenes alone
  std::vector<ComparedStage> stages;  ///< those that ran, in the order of the table, where they were asked for
};

/// An array of rows. Numbers that are not finite are null.
std::string comparison_json(const std::vector<ComparisonRow>& rows);

/// For a person: a block per problem, below it the stages that were asked for, and, for several files, how many of them
/// each solver solved.
std::string comparison_table(const std::vector<ComparisonRow>& rows);

/// A scene's residuals, step by step, with one solver.
struct ResidualHistory {
  std::string solver;
  std::vector<double> residuals;  ///< ends early where the run did
};
/// One line per step and one column per solver; empty where a run had ended.
std::string residual_csv(const std::vector<ResidualHistory>& histories, double step);
/// As in Kaufman 2009, Fig. 6.10, on a logarithmic axis.
Plot residual_plot(const std::string& scene, const std::vector<ResidualHistory>& histories, double tolerance);

/// One solver's performance profile (Dolan & Moré 2002): rho(tau) is the share of the problems that it solves within
/// tau times the time of the problem's fastest solver.
struct PerformanceProfile {
  std::string solver;
  std::vector<double> ratios;  ///< one per solved problem, rising, ≥ 1
  int problems = 0;            ///< all of them; those that no solver solved too

  double share_within(double tau) const;
};
/// `seconds[s][p]`: empty where solver s did not solve problem p.
std::vector<PerformanceProfile> performance_profiles(const std::vector<std::string>& solvers,
                                                     const std::vector<std::vector<std::optional<double>>>& seconds);
std::string profile_csv(const std::vector<PerformanceProfile>& profiles);
Plot profile_plot(const std::vector<PerformanceProfile>& profiles, double tolerance);

}  // namespace cardhouse
