#include "cardhouse/solvers/successive_relaxation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cardhouse {

void SuccessiveRelaxation::start(const ContactProblem& problem, const VecX& guess) {
  relaxed_.set_problem(problem);
  relaxed_.end_when([this] { return monitor_.out_of_time(); });
  relaxed_.hold(guess, monitor_.certifier().u(), held_);
  anderson_.reset(problem.groups(), own_.anderson_depth);
  weight_.resize(problem.groups());
  const std::vector<double>& rho = monitor_.certifier().rho();
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    const double leading = is_dependent(law) ? rho[law.leader] : 0.0;
    weight_[g] = is_dependent(law) ? (leading > 0.0 ? 1.0 / std::sqrt(leading) : 0.0) : std::sqrt(rho[g]);
  }
  step_ = step_at_milestone_ = 0.0;
}

void SuccessiveRelaxation::advance() {
  relaxed_.hold(r_, monitor_.certifier().u(), held_next_);
  step_ = weight_.cwiseProduct(held_next_ - held_).norm();
  anderson_.advance(held_, held_next_, weight_);
  held_ = held_.cwiseMax(0.0);  // an accelerated speed or load may leave the half-line
}

std::string SuccessiveRelaxation::reason_of_end(double error) const {
  char text[200];
  const double scale = monitor_.certifier().scale();
  const bool moves = step_ > own_.still_moving * weight_.cwiseProduct(held_).norm() && step_ >= step_at_milestone_;
  if (moves || error > own_.divergence * monitor_.best()) {
    std::snprintf(text, sizeof text,
                  "the fixed point diverges: in %d iterations its steps went from %.1e to %.1e of the scale; friction "
                  "is too strong for Theorem 4.1 here",
                  own_.patience, step_at_milestone_ / scale, step_ / scale);
  } else {
    std::snprintf(text, sizeof text, "the residual has not halved in %d iterations", own_.patience);
  }
  return text;
}

SolveReport SuccessiveRelaxation::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"successive-relaxation"};
  if (refuse_uneven_compliance(problem, report)) return report;
  if (!monitor_.begin(problem, solution, report)) return report;
  start(problem, solution.r);
  r_ = solution.r;
  const double aim = own_.aim_part * options_.tolerance;
  double milestone = std::numeric_limits<double>::infinity();
  double error = monitor_.best();
  int since_progress = 0;
  while (monitor_.best() > aim && monitor_.may_go_on(report)) {
    const double wanted = own_.inner_part * std::clamp(error, aim, 1e-2) * monitor_.certifier().scale();
    const SetQpReport qp = relaxed_.solve(held_, wanted, r_);
    report.inner_iterations += qp.newton_iterations;
    if (qp.status == SetQpStatus::failed) {
      tell(problem, qp, report);
      break;
    }
    if (qp.status == SetQpStatus::infeasible) {  // infeasible openings; the problem itself may have a solution
      report.reason = "no velocity opens the sliding contacts as much as the fixed point asks for";
      monitor_.suspect_conflict();
      break;
    }
    error = monitor_.offer(problem, r_, solution, report);
    since_progress = error < 0.5 * milestone ? 0 : since_progress + 1;
    if (since_progress == 0) milestone = error;
    if (monitor_.good_enough() && since_progress >= 3) break;  // round-off level
    if (since_progress >= own_.patience) {
      report.reason = reason_of_end(error);
      break;
    }
    if (error > own_.divergence * monitor_.best()) anderson_.restart();
    advance();
    if (since_progress == 0) step_at_milestone_ = step_;
  }
  monitor_.end(problem, report);
  return report;
}

}  // namespace cardhouse
