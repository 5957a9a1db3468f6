#include "cardhouse/solvers/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool has_polygon(const ContactProblem& problem) {
  for (int g = 0; g < problem.groups(); ++g) {
    const Law& law = problem.laws[g];
    if (law.kind == Law::Kind::coulomb && law.friction == FrictionShape::polygon && problem.j.group(g).dim == 3) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Newton::start(const ContactProblem& problem, const VecX& guess) {
  theta_.resize(problem.groups());
  right_.resize(problem.rows());
  rho_ = judge_.certifier().rho();
  for (double& rho : rho_) {
    if (!(rho > 0.0)) rho = 1.0;  // nothing moves these rows: no impulse of theirs matters
  }
  r_ = center_ = guess;
  proximal_ = own_.proximal;
  system_.set_problem(problem);
}

double Newton::evaluate(const ContactProblem& problem, const VecX& r, bool newton) {
  contact_velocity(problem, r, v_, u_);
  double squared = 0.0;
  NewtonRows rows;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& group = problem.j.group(g);
    squared += own_.equation(problem.laws[g], group.dim, rho_[g], r.data() + group.row, u_.data() + group.row,
                             center_.data() + group.row, proximal_, newton ? &rows : nullptr);
    if (!newton) continue;
    theta_[g] = rows.theta;
    right_.segment(group.row, group.dim) = rows.step.head(group.dim);
  }
  return std::sqrt(squared);
}

double Newton::newton_step(const ContactProblem& problem, double before, double& after) {
  if (!std::isfinite(before) || !system_.factorise(theta_)) return 0.0;
  system_.solve(right_, direction_);
  double best_length = 0.0;
  after = infinity;
  for (double length = 1.0; length > 0.01; length *= 0.5) {
    trial_ = r_ + length * direction_;
    const double size = evaluate(problem, trial_, false);
    if (size < after) {
      after = size;
      best_length = length;
    }
    if (size <= (1.0 - 0.1 * length) * before) break;
  }
  r_ += best_length * direction_;
  return best_length;
}

SolveReport Newton::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"newton"};
  if (own_.equation == fischer_burmeister && has_polygon(problem)) {
    report.status = SolveStatus::unsupported;
    report.reason = "polygonal friction: the Fischer–Burmeister function needs round cones";
    return report;
  }
  if (!judge_.begin(problem, solution, report)) return report;
  const double aim = own_.aim_part * options_.tolerance;
  if (judge_.best() > aim) start(problem, solution.r);
  double milestone = infinity;
  int since_progress = 0;
  int inner = 0;
  double first = 0.0;
  while (judge_.best() > aim && judge_.may_go_on(report)) {
    const double before = evaluate(problem, r_, true);
    if (inner == 0) first = before;
    double after = infinity;
    const double length = newton_step(problem, before, after);
    ++inner;
    if (length > 0.0) {
      const double error = judge_.offer(problem, r_, solution, report);
      since_progress = error < 0.5 * milestone ? 0 : since_progress + 1;
      if (since_progress == 0) milestone = error;
    }
    if (judge_.good_enough() && since_progress >= 3) break;  // round-off level
    if (since_progress >= own_.patience) {
      report.reason = "the residual has not halved in " + std::to_string(own_.patience) + " Newton steps";
      break;
    }
    const bool central = after <= own_.centring * first;
    if (length > 0.0 && !central && inner < own_.most_inner) continue;
    if (length == 0.0 && proximal_ >= 1.0) {
      report.reason = "no Newton direction reduces the equations' error";
      break;
    }
    proximal_ = central ? (inner <= 4 ? 0.1 * proximal_ : proximal_) : 10.0 * proximal_;
    proximal_ = std::clamp(proximal_, own_.least_proximal, 1.0);
    center_ = r_;
    inner = 0;
  }
  judge_.end(problem, report);
  return report;
}

}  // namespace cardhouse
