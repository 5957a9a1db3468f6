#include "cardhouse/solvers/solver.h"

#include "cardhouse/base/error.h"
#include "cardhouse/solvers/auto_solver.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/staggered_projections.h"

namespace cardhouse {

std::string_view status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::time_limit:
      return "time_limit";
    case SolveStatus::infeasible:
      return "infeasible";
    case SolveStatus::unsupported:
      return "unsupported";
    case SolveStatus::failed:
      return "failed";
  }
  return "unknown";
}

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names = {"auto", "staggered-projections", "interior-point"};
  return names;
}

std::unique_ptr<Solver> make_solver(const std::string& name, const SolverOptions& options) {
  if (name == "staggered-projections") return std::make_unique<StaggeredProjections>(options);
  if (name == "auto") return std::make_unique<AutoSolver>(options);
  if (name == "interior-point") return std::make_unique<InteriorPoint>(options);
  std::string known;
  for (const std::string& other : solver_names()) known += (known.empty() ? "" : ", ") + other;
  throw InputError("solver = \"" + name + "\": must be one of: " + known);
}

}  // namespace cardhouse
