#include "cardhouse/reproduction/algorithm_1.h"

#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/residual.h"

namespace cardhouse::reproduction {

Algorithm1::Algorithm1(const ContactProblem& problem) : problem_(problem) {
  Certifier certifier;
  certifier(problem, VecX::Zero(problem.rows()));
  scale_ = certifier.scale();
  split_rows();
  no_normal_compliance_.setZero(normal_rows_.rows());
  no_friction_compliance_.setZero(friction_rows_.rows());
  contact_qp_.set_matrices(problem.a, normal_rows_, no_normal_compliance_);
  friction_qp_.set_matrices(problem.a, friction_rows_, no_friction_compliance_);
}

void Algorithm1::split_rows() {
  for (int g = 0; g < problem_.groups(); ++g) {
    const int dim = problem_.j.group(g).dim;
    const int normals = normal_rows(problem_.laws[g], dim);
    normal_rows_.begin_group(normals);
    normal_sets_.push_back(normal_set(problem_.laws[g]));
    const bool has_friction = dim > normals;
    if (has_friction) {
      friction_rows_.begin_group(dim - normals);
      friction_groups_.push_back(g);
    }
    for (const BlockRows::Entry& entry : problem_.j.entries(g)) {
      const BlockRows::Block block = problem_.j.block(g, entry);
      normal_rows_.add(problem_.a, entry.block, block.topRows(normals));
      if (has_friction) friction_rows_.add(problem_.a, entry.block, block.bottomRows(dim - normals));
    }
  }
  normal_b_.resize(normal_rows_.rows());
  friction_b_.resize(friction_rows_.rows());
  friction_sets_.resize(friction_groups_.size());
  for (int g = 0; g < problem_.groups(); ++g) {
    const BlockRows::Group& normal = normal_rows_.group(g);
    normal_b_.segment(normal.row, normal.dim) = problem_.b.segment(problem_.j.group(g).row, normal.dim);
  }
  for (std::size_t t = 0; t < friction_groups_.size(); ++t) {
    const BlockRows::Group& own = friction_rows_.group(static_cast<int>(t));
    friction_b_.segment(own.row, own.dim) = problem_.b.segment(problem_.j.group(friction_groups_[t]).row + 1, own.dim);
  }
}

Algorithm1::Result Algorithm1::solve(const VecX& guess, const Options& options, const Observe& observe) {
  alpha_.setZero(normal_rows_.rows());
  f_.resize(friction_rows_.rows());
  for (std::size_t t = 0; t < friction_groups_.size(); ++t) {
    const BlockRows::Group& own = friction_rows_.group(static_cast<int>(t));
    f_.segment(own.row, own.dim) = guess.segment(problem_.j.group(friction_groups_[t]).row + 1, own.dim);
  }
  qp_tolerance_ = options.projection * scale_;
  Result result;
  double change = std::numeric_limits<double>::infinity();
  while (change > options.tolerance && result.iterations < options.max_iterations) {
    ++result.iterations;
    contact_projection();
    f_next_ = f_;
    friction_projection();
    const double moved = friction_energy(f_next_ - f_);
    change = moved == 0.0 ? 0.0 : moved / friction_energy(f_);
    f_ = f_next_;
    if (!observe) continue;
    scatter(result.r);
    observe(result.r);
  }
  result.converged = change <= options.tolerance;
  contact_projection();
  scatter(result.r);
  return result;
}

/// N alpha ← P_C(−M v_free − f)
void Algorithm1::contact_projection() {
  impulse_.setZero(problem_.a.rows());
  friction_rows_.add_transposed(f_, impulse_);
  problem_.a.solve(impulse_, v_shift_);
  v_shift_ += problem_.v_free;
  SetQpOptions options;
  options.tolerance = qp_tolerance_;
  contact_qp_.solve(v_shift_, normal_b_, normal_sets_, options, alpha_, v_);
}

/// f ← P_F(alpha)(−M v_free − N alpha)
void Algorithm1::friction_projection() {
  for (std::size_t t = 0; t < friction_groups_.size(); ++t) {
    const int g = friction_groups_[t];
    const int tangents = friction_rows_.group(static_cast<int>(t)).dim;
    friction_sets_[t] = friction_set(problem_.laws[g], tangents, alpha_[normal_rows_.group(g).row]);
  }
  impulse_.setZero(problem_.a.rows());
  normal_rows_.add_transposed(alpha_, impulse_);
  problem_.a.solve(impulse_, v_shift_);
  v_shift_ += problem_.v_free;
  SetQpOptions options;
  options.tolerance = qp_tolerance_;
  friction_qp_.solve(v_shift_, friction_b_, friction_sets_, options, f_next_, v_);
}

double Algorithm1::friction_energy(const VecX& f) {
  impulse_.setZero(problem_.a.rows());
  friction_rows_.add_transposed(f, impulse_);
  return problem_.a.inverse_norm_squared(impulse_);
}

void Algorithm1::scatter(VecX& r) const {
  r.resize(problem_.rows());
  for (int g = 0; g < problem_.groups(); ++g) {
    const BlockRows::Group& normal = normal_rows_.group(g);
    r.segment(problem_.j.group(g).row, normal.dim) = alpha_.segment(normal.row, normal.dim);
  }
  for (std::size_t t = 0; t < friction_groups_.size(); ++t) {
    const BlockRows::Group& own = friction_rows_.group(static_cast<int>(t));
    r.segment(problem_.j.group(friction_groups_[t]).row + 1, own.dim) = f_.segment(own.row, own.dim);
  }
}

double complementarity_objective(const ContactProblem& problem, const VecX& r) {
  VecX u, v;
  contact_velocity(problem, r, v, u);
  double sum = r.dot(u);
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    if (problem.laws[g].kind != Law::Kind::coulomb) continue;
    sum += r[rows.row] * sliding_speed(problem.laws[g], rows.dim, u.data() + rows.row);
  }
  return sum;
}

double kinetic_distance(const ContactProblem& problem, const VecX& r, const VecX& other) {
  VecX impulse = VecX::Zero(problem.a.rows());
  problem.j.add_transposed(r - other, impulse);
  return std::sqrt(problem.a.inverse_norm_squared(impulse));
}

}  // namespace cardhouse::reproduction
