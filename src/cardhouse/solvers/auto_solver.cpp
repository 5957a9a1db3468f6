#include "cardhouse/solvers/auto_solver.h"

#include <algorithm>

#include "cardhouse/solvers/admm.h"
#include "cardhouse/solvers/convex_relaxation.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/newton.h"
#include "cardhouse/solvers/staggered_projections.h"

namespace cardhouse {
namespace {

/// Sweeps within which easy problems end; hard ones lose little time by them.
constexpr int most_sweeps = 100;

/// Each gives up soon: the next one starts from where it ended.
GaussSeidelOptions brief_sweeps() {
  GaussSeidelOptions options;
  options.aim_part = 0.01;  // as the others: what is left of the error would push the same way step after step
  return options;
}

SolverOptions few(SolverOptions options, int iterations) {
  options.max_iterations = std::min(options.max_iterations, iterations);
  return options;
}

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

void add(const SolveReport& own, SolveReport& report) {
  report.iterations += own.iterations;
  report.inner_iterations += own.inner_iterations;
  report.methods.insert(report.methods.end(), own.methods.begin(), own.methods.end());
  report.residual_history.insert(report.residual_history.end(), own.residual_history.begin(),
                                 own.residual_history.end());
}

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options)
    : judge_(options),
      sweeps_(few(options, most_sweeps), brief_sweeps()),
      newton_(std::make_unique<Newton>(options, brief_newton())),
      interior_point_(std::make_unique<InteriorPoint>(options)),
      staggered_projections_(std::make_unique<StaggeredProjections>(options, brief_projections())),
      relaxation_(std::make_unique<ConvexRelaxation>(options)),
      admm_(std::make_unique<Admm>(options)) {}

SolveReport AutoSolver::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  if (!judge_.begin(problem, solution, report)) {
    report.methods = {"gauss-seidel"};  // the first method, which could not start
    return report;
  }
  if (solution.r.isZero(0.0) && sweep(problem, solution, report)) return report;
  bool done = false;
  for (Solver* method : {newton_.get(), interior_point_.get(), staggered_projections_.get()}) {
    done = run(*method, problem, solution, report) || judge_.out_of_time();
    if (done) break;
  }
  if (!done) start_elsewhere(problem, solution, report);
  judge_.end(problem, report);
  return report;
}

void AutoSolver::start_elsewhere(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  const auto done = [&](Solver& method) {
    attempt(method, problem, solution, report);
    return judge_.good_enough() || judge_.out_of_time();
  };
  candidate_ = solution;
  if (done(*relaxation_)) return;
  const VecX relaxed = candidate_.r;
  if (done(*newton_)) return;
  candidate_.r.setZero();
  if (done(*interior_point_)) return;
  candidate_.r = relaxed;
  attempt(*admm_, problem, solution, report);
}

bool AutoSolver::sweep(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  candidate_ = solution;
  const SolveReport own = sweeps_.solve(problem, candidate_);
  add(own, report);
  if (own.status != SolveStatus::converged) return false;
  solution = candidate_;
  report.status = SolveStatus::converged;
  report.seconds = judge_.seconds();
  return true;
}

SolveReport AutoSolver::attempt(Solver& method, const ContactProblem& problem, ContactSolution& solution,
                                SolveReport& report) {
  SolveReport own = method.solve(problem, candidate_);
  add(own, report);
  const bool has_answer = own.status != SolveStatus::unsupported && own.status != SolveStatus::failed;
  if (has_answer && judge_.improves(judge_.error(problem, candidate_.r))) solution = candidate_;
  return own;
}

bool AutoSolver::run(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  candidate_ = solution;
  const SolveReport own = attempt(method, problem, solution, report);
  if (own.status != SolveStatus::infeasible) return judge_.good_enough();
  report.status = own.status;
  report.reason = own.reason;
  report.conflicting_rows = own.conflicting_rows;
  return true;
}

}  // namespace cardhouse
