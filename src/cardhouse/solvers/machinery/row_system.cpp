#include "cardhouse/solvers/machinery/row_system.h"

#include <Eigen/LU>

namespace cardhouse {
namespace {

/// Rows up to which bodies with many nodes are condensed to W (docs/evidence/solvers.md). A column of W costs a solve
/// with the body's own factor. Each factorisation on the body graph costs some thirty of them, however many nodes there
/// are, and a warm solve needs one or two.
constexpr int most_rows_condensed = 30;

}  // namespace

void RowSystem::set_problem(const ContactProblem& problem) {
  problem_ = &problem;
  reduced_.resize(problem.groups());
  scaling_.resize(problem.groups());
  leader_.clear();
  if (has_dependent_laws(problem)) {
    for (const Law& law : problem.laws) leader_.push_back(is_dependent(law) ? law.leader : -1);
  }
  w_ = problem.delassus ? &problem.delassus->w : nullptr;
  if (!w_ && problem.a.has_coupled_bodies() && problem.rows() <= most_rows_condensed) {
    condensed_ = explicit_form(problem);
    w_ = &condensed_.delassus->w;
  }
  if (on_rows()) {
    row_lu_.set_matrix(*w_, problem.j, leader_);
  } else {
    body_graph_.analyse(problem.a, problem.j);
  }
}

void RowSystem::reduce(int g, const Mat3& theta) {
  const BlockRows::Group& rows = problem_->j.group(g);
  Vec3 c = Vec3::Zero();
  c.head(rows.dim) = problem_->compliance.segment(rows.row, rows.dim);
  const bool rigid = c.isZero(0.0);
  scaling_[g] = rigid ? Mat3(Mat3::Identity()) : Mat3((Mat3::Identity() + theta * c.asDiagonal()).inverse());
  reduced_[g] = rigid ? theta : Mat3(scaling_[g] * theta);
}

/// I + Θ C is block triangular, leaders first: with X the block of Θ, S = (I + Θ C)⁻¹ has −S_g X C_l S_l there.
void RowSystem::reduce_cross(int g, const Mat3& cross) {
  const int leader = leader_[g];
  const BlockRows::Group& rows = problem_->j.group(leader);
  Vec3 c = Vec3::Zero();
  c.head(rows.dim) = problem_->compliance.segment(rows.row, rows.dim);
  scaling_cross_[g] = -scaling_[g] * cross * c.asDiagonal() * scaling_[leader];
  reduced_cross_[g] = scaling_[g] * (cross - cross * c.asDiagonal() * reduced_[leader]);
}

bool RowSystem::factorise(std::span<const Mat3> theta, std::span<const Mat3> cross) {
  const ContactProblem& problem = *problem_;
  if (on_rows()) return row_lu_.factorise(theta, cross);
  for (int g = 0; g < problem.groups(); ++g) reduce(g, theta[g]);
  reduced_cross_.resize(cross.size());
  scaling_cross_.resize(cross.size());
  for (int g = 0; g < static_cast<int>(cross.size()); ++g) {
    if (leader_[g] >= 0) reduce_cross(g, cross[g]);
  }
  using Form = BodyGraphFactor::Form;
  const bool symmetric = reduced_cross_.empty() && is_symmetric();
  if (symmetric && body_graph_.factorise(problem.a, problem.j, reduced_, Form::positive_definite)) return true;
  return body_graph_.factorise(problem.a, problem.j, reduced_, Form::general, reduced_cross_, leader_);
}

/// Whether Θ is exactly symmetric, as where all contacts stick or are open: that halves the cost.
bool RowSystem::is_symmetric() const {
  for (int g = 0; g < problem_->groups(); ++g) {
    const int dim = problem_->j.group(g).dim;
    const auto block = reduced_[g].topLeftCorner(dim, dim);
    if (block != block.transpose()) return false;
  }
  return true;
}

void RowSystem::solve(const VecX& y, VecX& x) {
  if (on_rows()) {
    row_lu_.solve(y, x);
  } else {
    solve_on_bodies(y, x);
  }
}

namespace {

/// to_g += factor · block_g from_g, and cross_g from_leader where there is a block for it.
void add_blocks(const BlockRows& j, double factor, std::span<const Mat3> blocks, std::span<const Mat3> cross,
                std::span<const int> leader, const VecX& from, VecX& to) {
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    to.segment(rows.row, rows.dim).noalias() +=
        factor * blocks[g].topLeftCorner(rows.dim, rows.dim) * from.segment(rows.row, rows.dim);
    if (cross.empty() || leader[g] < 0) continue;
    const BlockRows::Group& other = j.group(leader[g]);
    to.segment(rows.row, rows.dim).noalias() +=
        factor * cross[g].topLeftCorner(rows.dim, other.dim) * from.segment(other.row, other.dim);
  }
}

}  // namespace

void RowSystem::solve_on_bodies(const VecX& y, VecX& x) {
  const ContactProblem& problem = *problem_;
  // (I + Θ C + Θ W₀) x = y  ⇔  (I + reduced W₀) x = scaling y
  scaled_.setZero(y.size());
  add_blocks(problem.j, 1.0, scaling_, scaling_cross_, leader_, y, scaled_);
  body_.setZero(problem.a.rows());
  problem.j.add_transposed(scaled_, body_);
  body_graph_.solve(body_, body_solution_);
  problem.j.multiply(body_solution_, rows_);
  x = scaled_;
  add_blocks(problem.j, -1.0, reduced_, reduced_cross_, leader_, rows_, x);
}

}  // namespace cardhouse
