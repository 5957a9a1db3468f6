#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cardhouse {

enum class SolveStatus { converged, iteration_limit, time_limit, infeasible, unsupported, failed };
std::string_view status_name(SolveStatus status);

/// One stage of a solver that tries several methods.
struct StageReport {
  std::string_view name;  ///< of the table of stages
  double seconds = 0.0;   ///< wall
  int iterations = 0;     ///< outer
  double residual = 0.0;  ///< the least that this stage reached, whatever there was before
};

/// A solver's account of its own work. The certificate never reads it.
struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  std::string reason;                    ///< the unsupported feature, the conflicting rows, what failed; else empty
  std::vector<int> conflicting_rows;     ///< of an infeasible problem
  int iterations = 0;                    ///< outer
  int inner_iterations = 0;              ///< of all inner solves together
  std::vector<double> residual_history;  ///< the common residual after each outer iteration
  double seconds = 0.0;                  ///< wall
  bool other_law = false;                ///< the method solves another law than the problem's, however long it takes
  bool coarse = false;                   ///< converged just below the tolerance; a solve from there gains many digits
  std::vector<std::string> methods;      ///< every method that was used, in order
  std::vector<StageReport> stages;       ///< of `auto` alone, in order; the last one ended the solve, if it ended
};

/// Adds the methods that are not there yet.
void add_methods(const std::vector<std::string>& more, std::vector<std::string>& methods);

}  // namespace cardhouse
