#include "cardhouse/contact/row_system.h"

#include <Eigen/LU>

namespace cardhouse {

void RowSystem::set_problem(const ContactProblem& problem) {
  problem_ = &problem;
  reduced_.resize(problem.groups());
  scaling_.resize(problem.groups());
  if (problem.delassus) {
    row_lu_.set_matrix(problem.delassus->w, problem.j);
  } else {
    body_graph_.analyse(problem.a, problem.j);
  }
}

bool RowSystem::factorise(std::span<const Mat3> theta) {
  const ContactProblem& problem = *problem_;
  if (problem.delassus) return row_lu_.factorise(theta);
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    Vec3 c = Vec3::Zero();
    c.head(rows.dim) = problem.compliance.segment(rows.row, rows.dim);
    const bool rigid = c.isZero(0.0);
    scaling_[g] = rigid ? Mat3(Mat3::Identity()) : Mat3((Mat3::Identity() + theta[g] * c.asDiagonal()).inverse());
    reduced_[g] = rigid ? theta[g] : Mat3(scaling_[g] * theta[g]);
  }
  using Form = BodyGraphFactor::Form;
  if (is_symmetric() && body_graph_.factorise(problem.a, problem.j, reduced_, Form::positive_definite)) return true;
  return body_graph_.factorise(problem.a, problem.j, reduced_, Form::general);
}

/// As where all contacts stick or are open, to the bit: which costs half.
bool RowSystem::is_symmetric() const {
  for (int g = 0; g < problem_->groups(); ++g) {
    const int dim = problem_->j.group(g).dim;
    const auto block = reduced_[g].topLeftCorner(dim, dim);
    if (block != block.transpose()) return false;
  }
  return true;
}

void RowSystem::solve(const VecX& y, VecX& x) {
  if (problem_->delassus) {
    row_lu_.solve(y, x);
  } else {
    solve_on_bodies(y, x);
  }
}

void RowSystem::solve_on_bodies(const VecX& y, VecX& x) {
  const ContactProblem& problem = *problem_;
  // (I + Θ C + Θ W₀) x = y  ⇔  (I + reduced W₀) x = scaling y
  scaled_.resize(y.size());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    scaled_.segment(rows.row, rows.dim).noalias() =
        scaling_[g].topLeftCorner(rows.dim, rows.dim) * y.segment(rows.row, rows.dim);
  }
  body_.setZero(problem.a.rows());
  problem.j.add_transposed(scaled_, body_);
  body_graph_.solve(body_, body_solution_);
  problem.j.multiply(body_solution_, rows_);
  x = scaled_;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    x.segment(rows.row, rows.dim).noalias() -=
        reduced_[g].topLeftCorner(rows.dim, rows.dim) * rows_.segment(rows.row, rows.dim);
  }
}

}  // namespace cardhouse
