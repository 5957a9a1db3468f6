#include "cardhouse/solvers/interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/math/constants.h"
#include "cardhouse/solvers/relaxed_problem.h"

namespace cardhouse {
namespace {

/// ε, relative to the scale, at which the path ends: round-off of the laws themselves.
constexpr double least_smoothing = 1e-13;
/// κ below which it no longer keeps the digits of the linear systems.
constexpr double least_proximal = 1e-9;
/// Newton steps at one ε after which the path counts as lost, and short ones among them.
constexpr int most_tries = 12;
constexpr int most_short_steps = 3;
constexpr double short_step = 0.2;

}  // namespace

InteriorPoint::InteriorPoint(const SolverOptions& options, const InteriorPointOptions& own)
    : options_(options),
      own_(own),
      monitor_(options),
      newton_([this](int g, auto... place) { return equation(g, place...); }) {}

double InteriorPoint::equation(int g, const double* r, const double* u, double load, NewtonRows* newton) const {
  const BlockRows::Group& rows = problem_->j.group(g);
  return smoothed_law(problem_->laws[g], rows.dim, rho_[g], r, u, load, center_.data() + rows.row, smoothing_, newton);
}

SolveReport InteriorPoint::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"interior-point"};
  if (!monitor_.begin(problem, solution, report)) return report;
  start(problem, solution.r);
  const Path paths[] = {
      {.epsilon = std::min(own_.first_smoothing, best()),
       .proximal = 1e-4,
       .reduction = 0.2,
       .centring = 0.1,
       .patience = 15},
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
  double enough = aim_;  // further paths are taken only while the tolerance itself is not reached
  for (const Path& path : paths) {
    if (best() <= enough || !monitor_.may_go_on(report)) break;
    follow(problem, path, solution, report);
    enough = options_.tolerance;
  }
  monitor_.end(problem, report);
  if (own_.relaxed) tell_relaxed(best() <= options_.tolerance, monitor_.best(), report);
  return report;
}

void InteriorPoint::start(const ContactProblem& problem, const VecX& guess) {
  problem_ = &problem;
  smoothing_.relaxed = own_.relaxed;
  scale_ = monitor_.certifier().scale();
  aim_ = own_.aim_part * options_.tolerance;
  rho_ = monitor_.certifier().rho();
  if (own_.relaxed) start_relaxed(problem, guess);
  for (double& rho : rho_) {
    if (!(rho > 0.0)) rho = 1.0;  // nothing moves these rows: no impulse of theirs matters
  }
  if (best() > aim_) newton_.set_problem(problem);
}

/// The cone program treats contacts that open more slowly than mu times their sliding as closed, Coulomb's law does
/// not. They have no part in the certificate's scale, so the program has its own: the error of the free motion.
void InteriorPoint::start_relaxed(const ContactProblem& problem, const VecX& guess) {
  const double error = relaxed_error(problem, rho_, guess, monitor_.certifier().u());
  VecX q;
  free_velocity(problem, q);
  scale_ = std::max(scale_, relaxed_error(problem, rho_, VecX::Zero(problem.rows()), q));
  relaxed_best_ = scale_ > 0.0 ? error / scale_ : 0.0;
}

double InteriorPoint::offer(const ContactProblem& problem, ContactSolution& solution, SolveReport& report) {
  if (!own_.relaxed) return monitor_.offer(problem, r_, solution, report);
  project_on_cones(problem, r_, projected_);
  const double of_coulomb = monitor_.look(problem, projected_, report);
  const double error =
      relaxed_error(problem, monitor_.certifier().rho(), projected_, monitor_.certifier().u()) / scale_;
  if (error < relaxed_best_ && std::isfinite(of_coulomb)) {
    relaxed_best_ = error;
    monitor_.keep(of_coulomb, projected_, solution);
  }
  return error;
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
  while (best() > aim_ && monitor_.may_go_on(report) && since_progress < path.patience) {
    if (best() <= options_.tolerance && since_progress >= 3) return;
    const RowNewton::Step step = newton_.take(r_);
    if (step.length == 0.0) return;
    lowest = std::min(lowest, offer(problem, solution, report));
    since_progress = lowest < 0.5 * milestone ? 0 : since_progress + 1;
    if (since_progress == 0) milestone = lowest;
    ++tries;
    if (step.length < short_step) ++short_steps;
    if (step.after <= path.centring * smoothing_.epsilon * std::sqrt(problem.groups())) {  // a central point: go on
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
