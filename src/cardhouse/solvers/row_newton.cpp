#include "cardhouse/solvers/row_newton.h"

#include <cmath>
#include <limits>

namespace cardhouse {

void RowNewton::set_problem(const ContactProblem& problem) {
  problem_ = &problem;
  theta_.resize(problem.groups());
  cross_.resize(has_dependent_laws(problem) ? problem.groups() : 0);
  by_load_.resize(cross_.size());
  right_.resize(problem.rows());
  system_.set_problem(problem);
}

double RowNewton::evaluate(const VecX& r, bool newton) {
  contact_velocity(*problem_, r, v_, u_);
  double squared = 0.0;
  NewtonRows rows;
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& group = problem_->j.group(g);
    const double load = load_on(*problem_, g, r);
    squared += equation_(g, r.data() + group.row, u_.data() + group.row, load, newton ? &rows : nullptr);
    if (!newton) continue;
    theta_[g] = rows.theta;
    if (!by_load_.empty()) by_load_[g] = rows.by_load;
    right_.segment(group.row, group.dim) = rows.step.head(group.dim);
  }
  if (newton && !cross_.empty()) follow_leaders();
  return std::sqrt(squared);
}

/// dr_g + θ_g du_g = step_g + by_load dr_N, and the leader's own equation says that dr_N = step_N − θ_N du_l.
void RowNewton::follow_leaders() {
  for (int g = 0; g < problem_->groups(); ++g) {
    const Law& law = problem_->laws[g];
    if (!is_dependent(law)) continue;
    const BlockRows::Group& group = problem_->j.group(g);
    cross_[g] = by_load_[g] * theta_[law.leader].row(0);
    right_.segment(group.row, group.dim) += by_load_[g].head(group.dim) * right_[problem_->j.group(law.leader).row];
  }
}

RowNewton::Step RowNewton::take(VecX& r) {
  Step step;
  step.before = evaluate(r, true);
  step.after = std::numeric_limits<double>::infinity();
  if (!std::isfinite(step.before) || !system_.factorise(theta_, cross_)) return step;
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
