#include "cardhouse/solvers/admm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {

bool Admm::start(const ContactProblem& problem, const VecX& guess) {
  const int groups = problem.groups();
  sets_.clear();
  stiffness_.resize(problem.rows());
  s_.resize(groups);
  const VecX& u = monitor_.certifier().u();
  for (int g = 0; g < groups; ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    sets_.push_back(impulse_set(problem.laws[g], rows.dim, load_on(problem, g, guess)));
    const double rho = monitor_.certifier().rho()[g];
    stiffness_.segment(rows.row, rows.dim).setConstant(rho > 0.0 ? 1.0 / rho : 1.0);
    s_[g] = sliding_speed(problem.laws[g], rows.dim, u.data() + rows.row);
  }
  free_velocity(problem, q_);
  r_ = y_ = guess;
  u_ = u;
  for (VecX* x : {&w_, &right_}) x->resize(problem.rows());
  system_.set_problem(problem);
  penalty_ = own_.penalty;
  w_ = -u_.cwiseQuotient(stiffness_) / penalty_;
  for (int g = 0; g < groups; ++g) {
    const int row = problem.j.group(g).row;
    w_[row] -= s_[g] / stiffness_[row] / penalty_;
  }
  return set_penalty(problem, penalty_);
}

bool Admm::set_penalty(const ContactProblem& problem, double penalty) {
  w_ *= penalty_ / penalty;
  penalty_ = penalty;
  theta_.resize(problem.groups());
  for (int g = 0; g < problem.groups(); ++g) {
    theta_[g] = Mat3::Identity() / (penalty * stiffness_[problem.j.group(g).row]);
  }
  return system_.factorise(theta_);
}

void Admm::iterate(const ContactProblem& problem, bool follow_sliding) {
  // (I + W/ρ) r = y − w − (q + s n)/ρ
  right_ = y_ - w_ - q_.cwiseQuotient(stiffness_) / penalty_;
  for (int g = 0; g < problem.groups(); ++g) {
    const int row = problem.j.group(g).row;
    right_[row] -= s_[g] / (penalty_ * stiffness_[row]);
  }
  system_.solve(right_, r_);
  double primal = 0.0;
  double dual = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double rho_inverse = stiffness_[rows.row];
    double z[3];
    double u[3];
    double p[3];
    for (int i = 0; i < rows.dim; ++i) {
      const int row = rows.row + i;
      u[i] = penalty_ * rho_inverse * (y_[row] - w_[row] - r_[row]) - (i == 0 ? s_[g] : 0.0);
      r_[row] = own_.relaxation * r_[row] + (1.0 - own_.relaxation) * y_[row];
      z[i] = r_[row] + w_[row];
    }
    if (follow_sliding && is_dependent(problem.laws[g])) {
      sets_[g] = impulse_set(problem.laws[g], rows.dim, load_on(problem, g, y_));
    }
    project(sets_[g], rows.dim, z, p);
    double apart = 0.0;
    double moved = 0.0;
    for (int i = 0; i < rows.dim; ++i) {
      const int row = rows.row + i;
      apart += (r_[row] - p[i]) * (r_[row] - p[i]);
      moved += (y_[row] - p[i]) * (y_[row] - p[i]);
      y_[row] = p[i];
      w_[row] = z[i] - p[i];
    }
    primal = std::max(primal, std::sqrt(apart * rho_inverse));
    dual = std::max(dual, penalty_ * std::sqrt(moved * rho_inverse));
    if (follow_sliding) s_[g] = sliding_speed(problem.laws[g], rows.dim, u);
  }
  primal_ = primal;
  dual_ = dual;
}

bool Admm::balance(const ContactProblem& problem) {
  const double ratio = primal_ / std::max(dual_, std::numeric_limits<double>::min());
  if (ratio < own_.imbalance && ratio > 1.0 / own_.imbalance) return true;
  const double factor = std::clamp(std::sqrt(ratio), 0.1, 10.0);
  const double penalty = std::clamp(penalty_ * factor, 1e-6, 1e6);
  return penalty == penalty_ || set_penalty(problem, penalty);
}

SolveReport Admm::solve(const ContactProblem& problem, ContactSolution& solution) {
  SolveReport report;
  report.methods = {"admm"};
  if (!monitor_.begin(problem, solution, report)) return report;
  const double aim = own_.aim_part * options_.tolerance;
  double milestone = std::numeric_limits<double>::infinity();
  int last_progress = 0;
  int last_hold = 0;
  int hold = 1;
  bool sound = monitor_.best() <= aim || start(problem, solution.r);
  for (int k = 1; sound && monitor_.best() > aim && monitor_.may_go_on(report); ++k) {
    iterate(problem, k % hold == 0);
    report.inner_iterations = k;
    if (k % own_.check_every == 0) {
      const double error = monitor_.offer(problem, y_, solution, report);
      if (error < 0.5 * milestone) {
        milestone = error;
        last_progress = last_hold = k;
      }
      if (!std::isfinite(error)) sound = false;
      if (k - last_progress >= own_.patience) {
        report.reason = "the residual has not halved in " + std::to_string(own_.patience) + " iterations";
        break;
      }
      if (k - last_hold >= own_.hold_after) {
        hold *= 2;
        last_hold = k;
      }
      if (monitor_.good_enough() && k - last_progress >= 10 * own_.check_every) break;  // round-off level
    }
    if (sound && k % own_.balance_every == 0) sound = balance(problem);
  }
  if (!sound && !monitor_.good_enough()) {
    report.status = SolveStatus::failed;
    report.reason = "the linear system is singular or the numbers left their range";
  }
  monitor_.end(problem, report);
  return report;
}

}  // namespace cardhouse
