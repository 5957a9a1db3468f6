#include "cardhouse/solvers/relaxed_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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

void project_on_cones(const ContactProblem& problem, const VecX& r, VecX& p) {
  p.resize(r.size());
  for (const bool dependent : {false, true}) {  // their loads are projected by then
    for (int g = 0; g < problem.groups(); ++g) {
      const Law& law = problem.laws[g];
      if (is_dependent(law) != dependent) continue;
      const BlockRows::Group& rows = problem.j.group(g);
      const ConvexSet set = impulse_set(law, rows.dim, load_on(problem, g, p));
      project(set, rows.dim, r.data() + rows.row, p.data() + rows.row);
    }
  }
}

double relaxed_error(const ContactProblem& problem, const std::vector<double>& rho, const VecX& r, const VecX& u) {
  double largest = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    if (!(rho[g] > 0.0)) continue;
    const BlockRows::Group& rows = problem.j.group(g);
    Vec3 z = Vec3::Zero();
    Vec3 p = Vec3::Zero();
    z.head(rows.dim) = r.segment(rows.row, rows.dim) - rho[g] * u.segment(rows.row, rows.dim);
    project(impulse_set(problem.laws[g], rows.dim, load_on(problem, g, r)), rows.dim, z.data(), p.data());
    largest = std::max(largest, (r.segment(rows.row, rows.dim) - p.head(rows.dim)).norm() / std::sqrt(rho[g]));
  }
  return largest;
}

void tell_relaxed(bool solved, double error, SolveReport& report) {
  report.other_law = true;
  if (report.status != SolveStatus::iteration_limit) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "the relaxed problem is %s; its answer misses Coulomb's law by %.1e: contacts that slide open at mu "
                "times their speed",
                solved ? "solved" : "not solved", error);
  report.reason = text;
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

bool refuse_uneven_compliance(const ContactProblem& problem, SolveReport& report) {
  if (!has_uneven_compliance(problem)) return false;
  report.status = SolveStatus::unsupported;
  report.reason =
      "the compliance differs between a contact's normal and its tangents: the convex program needs them equal";
  return true;
}

}  // namespace cardhouse
