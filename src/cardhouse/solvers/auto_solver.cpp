#include "cardhouse/solvers/auto_solver.h"

#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/newton.h"
#include "cardhouse/solvers/staggered_projections.h"

namespace cardhouse {
namespace {

/// Each gives up soon: the next one starts from where it ended.
NewtonOptions brief_newton() {
  NewtonOptions options;
  options.patience = 15;
  return options;
}

StaggeredProjectionsOptions brief_projections() {
  StaggeredProjectionsOptions options;
  options.patience = 60;
  return options;
}

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options) : judge_(options) {
  methods_.push_back(std::make_unique<Newton>(options, brief_newton()));
  methods_.push_back(std::make_unique<InteriorPoint>(options));
  methods_.push_back(std::make_unique<StaggeredProjections>(options, brief_projections()));
}

SolveReport AutoSolver::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  if (!judge_.begin(problem, solution, report)) {
    report.methods = {"newton"};  // the first method, which could not start
    return report;
  }
  for (const std::unique_ptr<Solver>& method : methods_) {
    if (run(*method, problem, solution, report) || judge_.out_of_time()) break;
  }
  judge_.end(report);
  return report;
}

bool AutoSolver::run(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  candidate_ = solution;
  const SolveReport own = method.solve(problem, candidate_);
  report.iterations += own.iterations;
  report.inner_iterations += own.inner_iterations;
  report.methods.insert(report.methods.end(), own.methods.begin(), own.methods.end());
  report.residual_history.insert(report.residual_history.end(), own.residual_history.begin(),
                                 own.residual_history.end());
  const bool has_answer = own.status != SolveStatus::unsupported && own.status != SolveStatus::failed;
  if (has_answer && judge_.improves(judge_.error(problem, candidate_.r))) solution = candidate_;
  if (own.status != SolveStatus::infeasible) return judge_.good_enough();
  report.status = own.status;
  report.reason = own.reason;
  report.conflicting_rows = own.conflicting_rows;
  return true;
}

}  // namespace cardhouse
