#include "cardhouse/solvers/interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// ε below which the path is at its end: round-off of the laws themselves (of the scale).
constexpr double least_smoothing = 1e-13;
/// κ below which the linear systems lose the digits that it is there for.
constexpr double least_proximal = 1e-9;
/// Newton steps at one ε before it counts as lost, and short ones among them.
constexpr int most_tries = 12;
constexpr int most_short_steps = 3;
constexpr double short_step = 0.2;

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

SolveReport InteriorPoint::solve(const ContactProblem& problem, ContactSolution& solution) {
  judge_.restart();
  SolveReport report;
  report.methods = {"interior-point"};
  report.status = SolveStatus::iteration_limit;
  if (!start(problem, solution, report)) {
    report.seconds = judge_.seconds();
    return report;
  }
  const double near = std::min(own_.first_smoothing, best_);
  const Path paths[] = {
      {.epsilon = near, .proximal = 1e-4, .reduction = 0.2, .centring = 0.1, .patience = 15},
      {.epsilon = 0.1, .proximal = 1e-8, .reduction = 0.4, .centring = 0.1, .patience = 30},
      {.epsilon = 0.1, .proximal = 1e-8, .reduction = 0.6, .centring = 1.0, .patience = 40},
      {.epsilon = 1.0,
       .proximal = 1e-6,
       .sliding = 0.1,
       .reduction = 0.4,
       .centring = 0.1,
       .patience = 30,
       .cold = true},
  };
  double enough = aim_;  // later paths are for what the first one could not reach
  for (const Path& path : paths) {
    if (best_ <= enough || report.iterations >= options_.max_iterations || judge_.out_of_time()) break;
    follow(problem, path, solution, report);
    enough = options_.tolerance;
  }
  conclude(options_, best_, judge_.out_of_time(), report);
  report.seconds = judge_.seconds();
  return report;
}

/// The certificate's scale without impulses.
double InteriorPoint::free_scale(const ContactProblem& problem) {
  free_velocity(problem, u_);
  double largest = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    largest = std::max(largest, std::sqrt(rho_[g]) * u_.segment(rows.row, rows.dim).norm());
  }
  return largest;
}

bool InteriorPoint::start(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  if (has_polygon(problem)) {
    report.status = SolveStatus::unsupported;
    report.reason = "polygonal friction: the method needs round cones";
    return false;
  }
  theta_.resize(problem.groups());
  newton_rhs_.resize(problem.rows());
  project_on_laws(problem, solution.r, projected_);
  solution.r = projected_;
  best_ = judge_.error(problem, solution.r);
  solution.v = judge_.certifier().v();
  scale_ = judge_.certifier().scale();
  aim_ = own_.aim_part * options_.tolerance;
  rho_ = judge_.certifier().rho();
  for (int g = 0; g < problem.groups(); ++g) {
    if (rho_[g] > 0.0) continue;
    rho_[g] = 1.0;  // nothing moves these rows: no impulse of theirs matters
    solution.r.segment(problem.j.group(g).row, problem.j.group(g).dim).setZero();
  }
  if (!std::isfinite(best_)) best_ = judge_.error(problem, solution.r);
  if (!std::isfinite(best_) || !std::isfinite(scale_)) {
    report.status = SolveStatus::failed;
    report.reason = "the residual is not finite (data not finite, or rows that nothing moves are violated)";
    return false;
  }
  if (best_ <= aim_) return true;
  largest_scale_ = own_.most_growth * free_scale(problem);
  system_.set_problem(problem);
  return true;
}

double InteriorPoint::evaluate(const ContactProblem& problem, const VecX& r, bool newton) {
  contact_velocity(problem, r, v_, u_);
  double squared = 0.0;
  SmoothedRows rows;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& group = problem.j.group(g);
    squared += smoothed_law(problem.laws[g], group.dim, rho_[g], r.data() + group.row, u_.data() + group.row,
                            center_.data() + group.row, smoothing_, newton ? &rows : nullptr);
    if (!newton) continue;
    theta_[g] = rows.theta;
    newton_rhs_.segment(group.row, group.dim) = rows.step.head(group.dim);
  }
  return std::sqrt(squared);
}

double InteriorPoint::newton_step(const ContactProblem& problem, double& size) {
  const double before = evaluate(problem, r_, true);
  if (!std::isfinite(before) || !system_.factorise(theta_)) return 0.0;
  system_.solve(newton_rhs_, direction_);
  double best_length = 0.0;
  size = infinity;
  for (double length = 1.0; length > 0.01; length *= 0.5) {
    trial_ = r_ + length * direction_;
    const double trial = evaluate(problem, trial_, false);
    if (trial < size) {
      size = trial;
      best_length = length;
    }
    if (trial <= (1.0 - 0.1 * length) * before) break;
  }
  r_ += best_length * direction_;
  return best_length;
}

void InteriorPoint::record(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  project_on_laws(problem, r_, projected_);
  const double error = judge_.error(problem, projected_);
  ++report.iterations;
  report.residual_history.push_back(error);
  if (error < best_ && judge_.certifier().scale() <= largest_scale_) {
    best_ = error;
    solution.r = projected_;
    solution.v = judge_.certifier().v();
  }
}

double InteriorPoint::distance_from_center(const ContactProblem& problem) const {
  double largest = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double moved = (r_.segment(rows.row, rows.dim) - center_.segment(rows.row, rows.dim)).norm();
    largest = std::max(largest, moved / std::sqrt(rho_[g]));
  }
  return largest;
}

void InteriorPoint::follow(const ContactProblem& problem, const Path& path, ContactSolution& solution,
                           SolveReport& report) {
  r_ = solution.r;
  if (path.cold) r_.setZero();
  center_ = central_ = r_;
  double central_epsilon = path.epsilon * scale_;
  double factor = path.reduction;
  double lowest = infinity;
  double milestone = infinity;
  int since_progress = 0;
  int tries = 0;
  int short_steps = 0;
  const auto set_epsilon = [&](double epsilon) {
    smoothing_.epsilon = std::max(epsilon, least_smoothing * scale_);
    smoothing_.delta = path.sliding * smoothing_.epsilon;
    tries = short_steps = 0;
  };
  set_epsilon(central_epsilon);
  smoothing_.proximal = path.proximal;
  while (best_ > aim_ && report.iterations < options_.max_iterations && since_progress < path.patience) {
    if (judge_.out_of_time() || (best_ <= options_.tolerance && since_progress >= 3)) return;
    double size = 0.0;
    const double length = newton_step(problem, size);
    if (length == 0.0) return;
    record(problem, solution, report);
    lowest = std::min(lowest, report.residual_history.back());
    since_progress = lowest < 0.5 * milestone ? 0 : since_progress + 1;
    if (since_progress == 0) milestone = lowest;
    ++tries;
    if (length < short_step) ++short_steps;
    if (size <= path.centring * smoothing_.epsilon * std::sqrt(problem.groups())) {  // a central point: go on
      const bool proximal_error = smoothing_.proximal * distance_from_center(problem) > smoothing_.epsilon;
      if (tries <= 2) factor = std::max(factor * factor, path.reduction);
      center_ = central_ = r_;
      central_epsilon = smoothing_.epsilon;
      if (proximal_error) smoothing_.proximal = std::max(0.1 * smoothing_.proximal, least_proximal);
      set_epsilon(proximal_error ? central_epsilon : factor * central_epsilon);
    } else if (short_steps >= most_short_steps || tries >= most_tries) {  // lost: back, and on in smaller steps
      factor = std::sqrt(factor);
      if (factor > 0.95) return;
      center_ = r_ = central_;
      set_epsilon(factor * central_epsilon);
    }
  }
}

}  // namespace cardhouse
