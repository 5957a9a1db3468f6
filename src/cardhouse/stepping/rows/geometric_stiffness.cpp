#include "cardhouse/stepping/rows/geometric_stiffness.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>

namespace cardhouse {
namespace {

/// N s: what the joint's rows pushed its first body with in the last step, along the rows of this one.
Vec3 last_impulse(const JointRows& group, const JointState& joint) {
  Vec3 impulse = Vec3::Zero();
  for (int n = 0; n < group.rows; ++n) {
    impulse += joint.impulse[group.slot + n] * group.on_first.row(n).head<3>().transpose();
  }
  return impulse;
}

void hold_planar(double stiffness, Prediction& p) {
  const double inertia = std::max(p.inertia(1, 1), stiffness);
  if (inertia == p.inertia(1, 1)) return;
  p.block_inertia(1, 1) = inertia;
  p.block_inverse(1, 1) = 1.0 / inertia;
}

void hold_spatial(const Mat3& stiffness, Prediction& p) {
  // Frobenius' norms bound the largest of the pair's quotients: most bodies are done here.
  if (stiffness.norm() * p.inverse_inertia.norm() <= 1.0) return;
  const Mat3 addition = least_addition(p.inertia, stiffness);
  if (addition.isZero(0.0)) return;
  p.block_inertia = p.inertia + addition;
  p.block_inverse = p.block_inertia.inverse();
}

}  // namespace

Mat3 geometric_stiffness(const Vec3& impulse, const Vec3& arm, double h) {
  const Mat3 outer = arm * impulse.transpose();
  return h * (impulse.dot(arm) * Mat3::Identity() - 0.5 * (outer + outer.transpose()));
}

Mat3 least_addition(const Mat3& inertia, const Mat3& stiffness) {
  // With I = L Lᵀ and L⁻¹ K L⁻ᵀ = V diag(k) Vᵀ both are diagonal in the columns of L V: I + G has max(1, k).
  const Eigen::LLT<Mat3> cholesky(inertia);
  const Mat3 half = cholesky.matrixL().solve(stiffness);
  const Mat3 scaled = cholesky.matrixL().solve(half.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(scaled);
  const Vec3 excess = (eigen.eigenvalues().array() - 1.0).cwiseMax(0.0);
  const Mat3 directions = cholesky.matrixL() * eigen.eigenvectors();
  return directions * excess.asDiagonal() * directions.transpose();
}

void GeometricStiffness::hold(const Model& model, const State& state, std::span<const JointRows> joint_rows, double h,
                              std::span<Prediction> predictions) {
  if (joint_rows.empty()) return;
  stiffness_.assign(model.bodies.size(), Mat3::Zero());
  for (const JointRows& group : joint_rows) {
    if (group.joint < 0) continue;
    const Joint& joint = model.joints[group.joint];
    const Vec3 impulse = last_impulse(group, state.joints[group.joint]);
    const Vec3 arm_first = joint_frame_first(joint, state).position - state.bodies[joint.first].pose.position;
    stiffness_[joint.first] += geometric_stiffness(impulse, arm_first, h);
    if (joint.second < 0) continue;
    const Vec3 arm_second = joint_frame_second(joint, state).position - state.bodies[joint.second].pose.position;
    stiffness_[joint.second] += geometric_stiffness(-impulse, arm_second, h);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.mobility != Mobility::dynamic) continue;
    if (body.kind == BodyKind::planar) hold_planar(stiffness_[i](1, 1), predictions[i]);
    if (body.kind == BodyKind::spatial) hold_spatial(stiffness_[i], predictions[i]);
  }
}

}  // namespace cardhouse
