#include "cardhouse/solvers/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/math/constants.h"

namespace cardhouse {
namespace {

constexpr double largest_weight = 100.0;

}  // namespace

Newton::Newton(const SolverOptions& options, const NewtonOptions& own)
    : options_(options),
      own_(own),
      monitor_(options),
      newton_([this](int g, auto... place) { return equation(g, place...); }) {}

double Newton::equation(int g, const double* r, const double* u, double load, NewtonRows* newton) const {
  const BlockRows::Group& rows = problem_->j.group(g);
  return own_.equation(problem_->laws[g], rows.dim, weight_ * rho_[g], r, u, load, center_.data() + rows.row, proximal_,
                       newton);
}

void Newton::start(const ContactProblem& problem, const VecX& guess) {
  problem_ = &problem;
  rho_ = monitor_.certifier().rho();
  for (double& rho : rho_) {
    if (!(rho > 0.0)) rho = 1.0;  // nothing moves these rows: no impulse of theirs matters
  }
  r_ = center_ = guess;
  weight_ = 1.0;
  proximal_ = own_.proximal;
  newton_.set_problem(problem);
}

void Newton::weigh_otherwise(const VecX& best) {
  weight_ = weight_ < largest_weight ? 10.0 * weight_ : 1.0;
  r_ = center_ = best;
  proximal_ = own_.proximal;
}

SolveReport Newton::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"newton"};
  if (own_.equation == fischer_burmeister && has_polygon(problem)) {
    report.status = SolveStatus::unsupported;
    report.reason = "polygonal friction: the Fischer–Burmeister function needs round cones";
    return report;
  }
  if (!monitor_.begin(problem, solution, report)) return report;
  const double aim = own_.aim_part * options_.tolerance;
  if (monitor_.best() > aim) start(problem, solution.r);
  double milestone = infinity;
  int since_progress = 0;
  int inner = 0;
  double first = 0.0;
  while (monitor_.best() > aim && monitor_.may_go_on(report)) {
    const RowNewton::Step step = newton_.take(r_);
    if (inner == 0) first = step.before;
    ++inner;
    if (step.length > 0.0) {
      const double error = monitor_.offer(problem, r_, solution, report);
      since_progress = error < 0.5 * milestone ? 0 : since_progress + 1;
      if (since_progress == 0) milestone = error;
    }
    if (monitor_.good_enough() && since_progress >= own_.patience_within) break;  // round-off level
    if (since_progress >= own_.patience) {
      report.reason = "the residual has not halved in " + std::to_string(own_.patience) + " Newton steps";
      break;
    }
    if (since_progress > 0 && since_progress % own_.weighing == 0) {
      weigh_otherwise(solution.r);
      inner = 0;
      continue;
    }
    const bool central = step.after <= own_.centring * first;
    if (step.length > 0.0 && !central && inner < own_.most_inner) continue;
    if (step.length == 0.0 && proximal_ >= 1.0) {
      report.reason = "no Newton direction reduces the equations' error";
      break;
    }
    proximal_ = central ? (inner <= 4 ? 0.1 * proximal_ : proximal_) : 10.0 * proximal_;
    proximal_ = std::clamp(proximal_, own_.least_proximal, 1.0);
    center_ = r_;
    inner = 0;
  }
  monitor_.end(problem, report);
  return report;
}

}  // namespace cardhouse
