#include "cardhouse/stepping/rows/geometric_stiffness.h"

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

}  // namespace

Mat3 geometric_stiffness(const Vec3& impulse, const Vec3& arm, double h) {
  const Mat3 outer = arm * impulse.transpose();
  return h * (impulse.dot(arm) * Mat3::Identity() - 0.5 * (outer + outer.transpose()));
}

void GeometricStiffness::hold(const Model& model, const State& state, std::span<const JointRows> joint_rows, double h,
                              std::span<Prediction> predictions) {
  if (joint_rows.empty()) return;
  stiffness_.assign(model.bodies.size(), Mat3::Zero());
  for (const JointRows& group : joint_rows) {
    if (group.joint < 0) continue;
    const Joint& joint = model.joints[group.joint];
    const Vec3 impulse = last_impulse(group, state.joints[group.joint]);
    const Vec3 arm_first =
        joint_frame_first(joint, state).position - origin_of(state.bodies[joint.first], joint.stencil_first);
    stiffness_[joint.first] += geometric_stiffness(impulse, arm_first, h);
    if (joint.second < 0) continue;
    const Vec3 arm_second =
        joint_frame_second(joint, state).position - origin_of(state.bodies[joint.second], joint.stencil_second);
    stiffness_[joint.second] += geometric_stiffness(-impulse, arm_second, h);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.mobility != Mobility::dynamic) continue;
    equations_of(body).add_geometric_stiffness(stiffness_[i], predictions[i]);
  }
}

}  // namespace cardhouse
