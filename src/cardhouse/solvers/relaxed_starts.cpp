#include "cardhouse/solvers/relaxed_starts.h"

#include <algorithm>

namespace cardhouse {

SolveReport RelaxedStarts::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"successive-relaxation"};
  if (refuse_uneven_compliance(problem, report)) return report;
  if (!monitor_.begin(problem, solution, report)) return report;
  relaxed_.set_problem(problem);
  relaxed_.end_when([this] { return monitor_.out_of_time(); });
  r_.setZero(problem.rows());
  held_.setZero(problem.groups());
  double error = std::min(monitor_.error(problem, r_), 1.0);  // and with it the scale, which is not to be the guess's
  int infeasible = 0;
  std::size_t starts = 0;
  const int most = std::min(own_.most_programs, options_.max_iterations);
  for (int k = 1; k <= most && !monitor_.good_enough() && !monitor_.out_of_time(); ++k) {
    const double wanted = own_.inner_part * std::clamp(error, 0.01 * options_.tolerance, 0.01);
    const SetQpReport qp = relaxed_.solve(held_, wanted * monitor_.certifier().scale(), r_);
    report.inner_iterations += qp.newton_iterations;
    if (qp.status == SetQpStatus::failed || !r_.allFinite()) break;
    if (qp.status == SetQpStatus::infeasible) {
      if (++infeasible > own_.most_infeasible) break;
      held_ *= 0.5;
      r_.setZero();
      continue;
    }
    error = monitor_.offer(problem, r_, solution, report);
    relaxed_.hold(r_, monitor_.certifier().u(), held_next_);
    held_ += own_.damping * (held_next_ - held_);
    // The first programs change most.
    if (k > 3 && k % own_.between != 0) continue;
    start(*started_[starts % started_.size()], problem, solution, report);
    ++starts;
  }
  monitor_.end(problem, report);
  return report;
}

void RelaxedStarts::start(Solver& method, const ContactProblem& problem, ContactSolution& solution,
                          SolveReport& report) {
  candidate_.r = r_;
  const SolveReport own = method.solve(problem, candidate_);
  if (report.methods.size() == 1) report.methods.insert(report.methods.end(), own.methods.begin(), own.methods.end());
  report.iterations += own.iterations;
  report.residual_history.insert(report.residual_history.end(), own.residual_history.begin(),
                                 own.residual_history.end());
  if (own.status == SolveStatus::unsupported || own.status == SolveStatus::failed) return;
  if (monitor_.improves(monitor_.error(problem, candidate_.r))) solution = candidate_;
}

}  // namespace cardhouse
