#include "cardhouse/solvers/auto_solver.h"

namespace cardhouse {

AutoSolver::AutoSolver(const SolverOptions& options)
    : interior_point_(options), staggered_projections_(options), judge_(options) {}

SolveReport AutoSolver::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report = interior_point_.solve(problem, solution);
  if (report.status == SolveStatus::converged || problem.delassus) return report;
  const bool has_answer = report.status != SolveStatus::unsupported && report.status != SolveStatus::failed;
  other_ = solution;
  SolveReport second = staggered_projections_.solve(problem, other_);
  second.iterations += report.iterations;
  second.inner_iterations += report.inner_iterations;
  second.seconds += report.seconds;
  second.methods.insert(second.methods.begin(), report.methods.begin(), report.methods.end());
  second.residual_history.insert(second.residual_history.begin(), report.residual_history.begin(),
                                 report.residual_history.end());
  const bool better = !has_answer || judge_.error(problem, other_.r) <= judge_.error(problem, solution.r);
  if (better) solution = other_;
  return second;
}

}  // namespace cardhouse
