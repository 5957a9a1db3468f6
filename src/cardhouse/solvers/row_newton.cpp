#include "cardhouse/solvers/row_newton.h"

#include <cmath>
#include <limits>

namespace cardhouse {

void RowNewton::set_problem(const ContactProblem& problem) {
  problem_ = &problem;
  theta_.resize(problem.groups());
  right_.resize(problem.rows());
  system_.set_problem(problem);
}

double RowNewton::evaluate(const VecX& r, bool newton) {
  contact_velocity(*problem_, r, v_, u_);
  double squared = 0.0;
  NewtonRows rows;
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& group = problem_->j.group(g);
    squared += equation_(g, r.data() + group.row, u_.data() + group.row, newton ? &rows : nullptr);
    if (!newton) continue;
    theta_[g] = rows.theta;
    right_.segment(group.row, group.dim) = rows.step.head(group.dim);
  }
  return std::sqrt(squared);
}

RowNewton::Step RowNewton::take(VecX& r) {
  Step step;
  step.before = evaluate(r, true);
  step.after = std::numeric_limits<double>::infinity();
  if (!std::isfinite(step.before) || !system_.factorise(theta_)) return step;
  system_.solve(right_, direction_);
  for (double length = 1.0; length > 0.01; length *= 0.5) {
    trial_ = r + length * direction_;
    const double size = evaluate(trial_, false);
    if (size < step.after) {
      step.after = size;
      step.length = length;
    }
    if (size <= (1.0 - 0.1 * length) * step.before) break;
  }
  r += step.length * direction_;
  return step;
}

}  // namespace cardhouse
