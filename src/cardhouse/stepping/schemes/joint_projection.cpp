#include "cardhouse/stepping/schemes/joint_projection.h"

#include <algorithm>
#include <utility>

#include "cardhouse/model/joint_loops.h"
#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {
namespace {

constexpr double round_off = 1e-14;  // m and rad: nothing is gained below

/// A step that leaves more than this has met a contradiction, or round-off.
bool stuck(const JointViolation& before, const JointViolation& after) {
  constexpr double least_progress = 0.9;
  return after.length >= least_progress * before.length && after.angle >= least_progress * before.angle;
}

}  // namespace

JointProjector::JointProjector(const Model& model)
    : block_(model.bodies.size(), -1), factors_(std::make_unique<BodyGraphFactor>()) {
  const auto take = [&](int body) {
    if (body >= 0 && model.bodies[body].mobility == Mobility::dynamic) block_[body] = 0;
  };
  const std::vector<bool> in_loop = joints_in_loops(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const bool spring = joint.compliance.value_or(0.0) > 0.0 || joint.angular_compliance.value_or(0.0) > 0.0;
    softness_.push_back(spring ? 0.0 : in_loop[j] ? loop_softness : tree_softness);
    take(joint.first);
    take(joint.second);
  }
  for (int body = 0; body < static_cast<int>(block_.size()); ++body) {
    if (block_[body] < 0) continue;
    bodies_.push_back(body);
  }
}

void JointProjector::fill_inertia(const Model& model, const State& state) {
  a_.clear();
  for (const int i : bodies_) {
    block_[i] = a_.blocks();
    equations_of(model.bodies[i]).add_mass(model.bodies[i], state.bodies[i], a_);
  }
}

void JointProjector::add_side(const Model& model, int i, const Stencil& stencil, const FrameRows& rows, int count) {
  if (i < 0 || block_[i] < 0) return;
  equations_of(model.bodies[i]).add_rows(model.bodies[i], stencil, rows, count, a_, block_[i], j_);
}

void JointProjector::add_constraint(const Model& model, const Joint& joint, const JointConstraint& constraint,
                                    double softness) {
  j_.begin_group(constraint.rows);
  add_side(model, joint.first, joint.stencil_first, constraint.on_first, constraint.rows);
  add_side(model, joint.second, joint.stencil_second, constraint.on_second, constraint.rows);
  const int group = j_.groups() - 1;
  double mobility = 0.0;
  for (const BlockRows::Entry& entry : j_.entries(group)) {
    const BodyMatrix::Block rows = std::as_const(j_).block(group, entry);
    Mat3 product = Mat3::Zero();
    a_.add_sandwich(rows, entry.block, rows, entry.block, product);
    mobility += product.trace() / constraint.rows;
  }
  inverse_d_.push_back((mobility > 0.0 ? 1.0 / (softness * mobility) : 0.0) * Mat3::Identity());
}

bool JointProjector::linearise(const Model& model, const State& state) {
  fill_inertia(model, state);
  j_.clear();
  inverse_d_.clear();
  joint_of_group_.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (softness_[j] == 0.0) continue;
    const JointGeometry geometry = joint_geometry(model.joints[j], state);
    for (int i = 0; i < geometry.constraint_count; ++i) {
      add_constraint(model, model.joints[j], geometry.constraints[i], softness_[j]);
      joint_of_group_.push_back(static_cast<int>(j));
    }
  }
  factors_->analyse(a_, j_);
  return factors_->factorise(a_, j_, inverse_d_, BodyGraphFactor::Form::positive_definite);
}

JointViolation JointProjector::measure(const Model& model, const State& state) {
  theta_.resize(j_.rows());
  weighted_.resize(j_.rows());
  JointViolation worst;
  int group = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (softness_[j] == 0.0) continue;
    const JointGeometry geometry = joint_geometry(model.joints[j], state);
    const JointViolation own = joint_violation(geometry);
    worst.length = std::max(worst.length, own.length);
    worst.angle = std::max(worst.angle, own.angle);
    for (int i = 0; i < geometry.constraint_count; ++i, ++group) {
      const JointConstraint& constraint = geometry.constraints[i];
      const int row = j_.group(group).row;
      theta_.segment(row, constraint.rows) = constraint.violation.head(constraint.rows);
      weighted_.segment(row, constraint.rows) = inverse_d_[group](0, 0) * theta_.segment(row, constraint.rows);
    }
  }
  return worst;
}

void JointProjector::move(const Model& model, State& state, double h) const {
  for (const int i : bodies_) {
    const Body& body = model.bodies[i];
    const auto first = static_cast<std::size_t>(a_.offset(block_[i]));
    const std::span<const double> all(delta_.data(), static_cast<std::size_t>(delta_.size()));
    equations_of(body).displace(body, all.subspan(first, static_cast<std::size_t>(dofs_of(body))), h, state.bodies[i]);
  }
}

/// A Δ = −Jᵀ D⁻¹ (Theta + J Δ): the multipliers of the last step.
void JointProjector::add_push() {
  j_.multiply(delta_, moved_);
  int slot = 0;
  for (int g = 0; g < j_.groups(); ++g) {
    const int joint = joint_of_group_[g];
    if (g == 0 || joint != joint_of_group_[g - 1]) slot = 0;
    const BlockRows::Group& rows = j_.group(g);
    for (int row = rows.row; row < rows.row + rows.dim; ++row) {
      push_[joint][slot++] -= inverse_d_[g](0, 0) * (theta_[row] + moved_[row]);
    }
  }
}

JointViolation JointProjector::descend(const Model& model, State& state, int iterations, double h) {
  push_.assign(model.joints.size(), {});
  JointViolation left = measure(model, state);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (!(std::max(left.length, left.angle) > round_off)) break;
    right_.setZero(a_.rows());
    j_.add_transposed(weighted_, right_);
    right_ = -right_;
    factors_->solve(right_, delta_);
    move(model, state, h);
    add_push();
    const JointViolation last = left;
    left = measure(model, state);
    if (stuck(last, left)) break;
  }
  return left;
}

JointViolation JointProjector::project(const Model& model, State& state) {
  JointViolation left = worst_joint_violation(model, state);
  for (int iteration = 0; iteration < most_projection_steps; ++iteration) {
    if (!linearise(model, state)) break;
    const JointViolation last = left;
    left = descend(model, state, 1, 0.0);
    if (!(std::max(left.length, left.angle) > round_off) || stuck(last, left)) break;
  }
  return left;
}

}  // namespace cardhouse
