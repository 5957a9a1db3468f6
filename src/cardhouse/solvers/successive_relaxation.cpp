#include "cardhouse/solvers/successive_relaxation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {

void SuccessiveRelaxation::start(const ContactProblem& problem) {
  relaxed_.set_problem(problem);
  relaxed_.sliding_speeds(judge_.certifier().u(), s_);
  anderson_.reset(problem.groups(), own_.anderson_depth);
  weight_.resize(problem.groups());
  for (int g = 0; g < problem.groups(); ++g) weight_[g] = std::sqrt(judge_.certifier().rho()[g]);
}

SolveReport SuccessiveRelaxation::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"successive-relaxation"};
  if (has_uneven_compliance(problem)) {
    report.status = SolveStatus::unsupported;
    report.reason = "contacts that are softer along or across their normal: the program's cones need them even";
    return report;
  }
  if (!judge_.begin(problem, solution, report)) return report;
  start(problem);
  r_ = solution.r;
  const double aim = own_.aim_part * options_.tolerance;
  double milestone = std::numeric_limits<double>::infinity();
  double error = judge_.best();
  int since_progress = 0;
  while (judge_.best() > aim && judge_.may_go_on(report)) {
    const double wanted = own_.inner_part * std::clamp(error, aim, 1e-2) * judge_.certifier().scale();
    const SetQpReport qp = relaxed_.solve(s_, wanted, r_);
    report.inner_iterations += qp.newton_iterations;
    if (qp.status == SetQpStatus::failed) {
      tell(problem, qp, report);
      break;
    }
    if (qp.status == SetQpStatus::infeasible) {  // these openings are too much; the problem itself may have an answer
      report.reason = "no velocity opens the sliding contacts as much as the fixed point asks for";
      judge_.suspect_conflict();
      break;
    }
    error = judge_.offer(problem, r_, solution, report);
    since_progress = error < 0.5 * milestone ? 0 : since_progress + 1;
    if (since_progress == 0) milestone = error;
    if (judge_.good_enough() && since_progress >= 3) break;  // round-off level
    if (since_progress >= own_.patience) {
      const bool diverges = error > own_.divergence * judge_.best();
      report.reason = diverges ? "the fixed point diverges: friction is too strong for Theorem 4.1 here"
                               : "the residual has not halved in " + std::to_string(own_.patience) + " iterations";
      break;
    }
    if (error > own_.divergence * judge_.best()) anderson_.restart();
    relaxed_.sliding_speeds(judge_.certifier().u(), s_next_);
    anderson_.advance(s_, s_next_, weight_);
    s_ = s_.cwiseMax(0.0);  // an accelerated speed may leave the half-line
  }
  judge_.end(problem, report);
  return report;
}

}  // namespace cardhouse
