#include "cardhouse/solvers/relaxed_problem.h"

#include <algorithm>

#include "cardhouse/contact/law_projection.h"

namespace cardhouse {

void RelaxedProblem::set_problem(const ContactProblem& problem) {
  problem_ = &problem;
  sets_.clear();
  for (int g = 0; g < problem.groups(); ++g) sets_.push_back(impulse_set(problem.laws[g], problem.j.group(g).dim));
  if (problem.delassus) {
    qp_.set_matrix(problem.delassus->w, problem.j);
    v0_.setZero(problem.rows());
    b_ = problem.delassus->q;
  } else {
    qp_.set_matrices(problem.a, problem.j, problem.compliance);
    v0_ = problem.v_free;
    b_ = problem.b;
  }
}

SetQpReport RelaxedProblem::solve(const VecX& held, double tolerance, VecX& r) {
  shifted_ = b_;
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& rows = problem_->j.group(g);
    if (is_dependent(problem_->laws[g])) {
      sets_[g] = impulse_set(problem_->laws[g], rows.dim, held[g]);
    } else {
      shifted_[rows.row] += held[g];
    }
  }
  SetQpOptions options;
  options.tolerance = tolerance;
  options.stop = stop_;
  return qp_.solve(v0_, shifted_, sets_, options, r, v_);
}

void RelaxedProblem::hold(const VecX& r, const VecX& u, VecX& held) const {
  hold_loads(r, held);
  for (int g = 0; g < problem_->groups(); ++g) {
    const BlockRows::Group& rows = problem_->j.group(g);
    held[g] += sliding_speed(problem_->laws[g], rows.dim, u.data() + rows.row);
  }
}

void RelaxedProblem::hold_loads(const VecX& r, VecX& held) const {
  held.resize(problem_->groups());
  for (int g = 0; g < problem_->groups(); ++g) held[g] = std::max(load_on(*problem_, g, r), 0.0);
}

void tell(const ContactProblem& problem, const SetQpReport& qp, SolveReport& report) {
  if (qp.status == SetQpStatus::failed) {
    report.status = SolveStatus::failed;
    report.reason = "the quadratic program broke down (data not finite?)";
  } else if (qp.status == SetQpStatus::infeasible) {
    report.status = SolveStatus::infeasible;
    report.reason = "no velocity satisfies these rows together";
    for (int g : qp.conflicting_groups) report.conflicting_rows.push_back(problem.j.group(g).row);
  }
}

}  // namespace cardhouse
