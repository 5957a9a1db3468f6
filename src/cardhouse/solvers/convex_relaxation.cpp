#include "cardhouse/solvers/convex_relaxation.h"

namespace cardhouse {

namespace {

/// Most programs that are solved to find the loads of rolling and torsional friction. The loads hardly depend on it, so
/// few are enough.
constexpr int most_programs = 30;

}  // namespace

SetQpReport ConvexRelaxation::solve_program(const ContactProblem& problem, double tolerance) {
  SetQpReport report;
  const int programs = has_dependent_laws(problem) ? most_programs : 1;
  int steps = 0;
  relaxed_.hold_loads(r_, held_);
  for (int k = 0; k < programs; ++k) {
    report = relaxed_.solve(held_, tolerance, r_);
    steps += report.newton_iterations;
    if (report.status == SetQpStatus::failed || monitor_.out_of_time()) break;
    last_loads_ = held_;
    relaxed_.hold_loads(r_, held_);
    if ((held_ - last_loads_).norm() <= 1e-3 * options_.tolerance * held_.norm()) break;
  }
  report.newton_iterations = steps;
  return report;
}

SolveReport ConvexRelaxation::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"convex-relaxation"};
  if (refuse_uneven_compliance(problem, report)) return report;
  if (!monitor_.begin(problem, solution, report)) return report;
  relaxed_.set_problem(problem);
  relaxed_.end_when([this] { return monitor_.out_of_time(); });
  r_ = solution.r;
  // A hundredth of the tolerance, as in the exact solvers: a larger error would repeat in every step.
  const SetQpReport qp = solve_program(problem, 0.01 * options_.tolerance * monitor_.certifier().scale());
  report.inner_iterations = qp.newton_iterations;
  if (qp.status == SetQpStatus::failed) tell(problem, qp, report);
  // Sliding rows are asked to open. That may be infeasible although the problem itself has a solution.
  if (qp.status == SetQpStatus::infeasible) monitor_.suspect_conflict();
  monitor_.replace(problem, r_, solution, report);
  const double scale = monitor_.certifier().scale();
  monitor_.end(problem, report);
  tell_relaxed(qp.error <= options_.tolerance * scale, monitor_.best(), report);
  return report;
}

}  // namespace cardhouse
