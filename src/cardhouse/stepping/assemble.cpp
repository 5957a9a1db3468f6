#include "cardhouse/stepping/assemble.h"

#include <algorithm>

namespace cardhouse {
namespace {

using TwistBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 6>;
using SmallBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

/// The rows' action on a twist at the centre of mass: the velocity of `point` along the basis, v + w × arm.
TwistRows twist_rows(const Mat3& basis, const Vec3& arm) {
  TwistRows rows;
  rows.leftCols<3>() = basis.transpose();
  rows.rightCols<3>() = -basis.transpose() * cross_matrix(arm);
  return rows;
}

/// The body's part of A, v_free: the twist's components that it has.
void add_body(const Body& body, const Prediction& prediction, ContactProblem& problem, int& offset) {
  const DofSelection dofs = dofs_of(body);
  Mat6 inertia = Mat6::Zero();
  Mat6 inverse = Mat6::Zero();
  inertia.diagonal().head<3>().setConstant(body.mass);
  inverse.diagonal().head<3>().setConstant(1.0 / body.mass);
  inertia.bottomRightCorner<3, 3>() = prediction.block_inertia;
  inverse.bottomRightCorner<3, 3>() = prediction.block_inverse;
  Vec6 twist;
  twist << prediction.linear, prediction.angular;
  SmallBlock a(dofs.count, dofs.count);
  SmallBlock a_inverse(dofs.count, dofs.count);
  for (int i = 0; i < dofs.count; ++i) {
    for (int k = 0; k < dofs.count; ++k) {
      a(i, k) = inertia(dofs.component[i], dofs.component[k]);
      a_inverse(i, k) = inverse(dofs.component[i], dofs.component[k]);
    }
    problem.v_free[offset + i] = twist[dofs.component[i]];
  }
  problem.a.add(a, a_inverse);
  offset += dofs.count;
}

/// One side of a contact or joint: an entry of J for a moving body, a share of b for a kinematic one.
void add_side(const Model& model, std::span<const Prediction> predictions, int body, const TwistRows& rows, int count,
              int block, ContactProblem& problem, Vec3& b) {
  if (model.bodies[body].mobility != Mobility::moving) {
    const Prediction& p = predictions[body];
    b += rows.leftCols<3>() * p.linear + rows.rightCols<3>() * p.angular;
    return;
  }
  const DofSelection dofs = dofs_of(model.bodies[body]);
  TwistBlock selected(count, dofs.count);
  for (int i = 0; i < dofs.count; ++i) selected.col(i) = rows.col(dofs.component[i]).head(count);
  problem.j.add(problem.a, block, selected);
}

}  // namespace

void assemble(const Model& model, const State& state, std::span<const Prediction> predictions,
              std::span<const Contact> contacts, std::span<const JointRows> joint_rows, const Island& island,
              std::span<const double> shifts, ContactProblem& problem) {
  problem.a.clear();
  problem.j.clear();
  problem.laws.clear();
  int dofs = 0;
  int rows = 0;
  for (int body : island.bodies) dofs += dofs_of(model.bodies[body]).count;
  for (int c : island.contacts) rows += contacts[c].rows;
  for (int k : island.joint_rows) rows += joint_rows[k].rows;
  problem.v_free.resize(dofs);
  problem.b.resize(rows);
  problem.compliance.setZero(rows);

  int offset = 0;
  for (int body : island.bodies) add_body(model.bodies[body], predictions[body], problem, offset);
  const auto block_of = [&](int body) {
    const auto found = std::lower_bound(island.bodies.begin(), island.bodies.end(), body);
    return static_cast<int>(found - island.bodies.begin());
  };
  int row = 0;
  auto shift = shifts.begin();
  for (int c : island.contacts) {
    const Contact& contact = contacts[c];
    const BodyState& state_a = state.bodies[contact.body_a];
    const BodyState& state_b = state.bodies[contact.body_b];
    // One point for both sides: equal and opposite impulses then keep the angular momentum.
    const Vec3 arm_a = contact.point() - state_a.pose.position;
    const Vec3 arm_b = contact.point() - state_b.pose.position;
    Vec3 b = Vec3::Zero();
    problem.j.begin_group(contact.rows);
    add_side(model, predictions, contact.body_a, twist_rows(contact.basis, arm_a), contact.rows,
             block_of(contact.body_a), problem, b);
    add_side(model, predictions, contact.body_b, -twist_rows(contact.basis, arm_b), contact.rows,
             block_of(contact.body_b), problem, b);
    b[0] += *shift++;
    problem.b.segment(row, contact.rows) = b.head(contact.rows);
    problem.laws.push_back(contact.law);
    row += contact.rows;
  }
  for (int k : island.joint_rows) {
    const JointRows& group = joint_rows[k];
    const Joint& joint = model.joints[group.joint];
    Vec3 b = group.b;
    problem.j.begin_group(group.rows);
    add_side(model, predictions, joint.first, group.on_first, group.rows, block_of(joint.first), problem, b);
    if (joint.second >= 0) {
      add_side(model, predictions, joint.second, group.on_second, group.rows, block_of(joint.second), problem, b);
    }
    problem.b.segment(row, group.rows) = b.head(group.rows);
    problem.compliance.segment(row, group.rows).setConstant(group.compliance);
    problem.laws.push_back(group.law);
    row += group.rows;
  }
}

}  // namespace cardhouse
