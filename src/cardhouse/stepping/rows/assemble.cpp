#include "cardhouse/stepping/rows/assemble.h"

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
  // Damping is implicit: it brakes what contacts push as well, as if bodies had more mass.
  inertia.diagonal().head<3>().setConstant(prediction.linear_drag * body.mass);
  inverse.diagonal().head<3>().setConstant(1.0 / (prediction.linear_drag * body.mass));
  inertia.bottomRightCorner<3, 3>() = prediction.angular_drag * prediction.block_inertia;
  inverse.bottomRightCorner<3, 3>() = prediction.block_inverse / prediction.angular_drag;
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

/// One side of a contact or joint: an entry of J for a dynamic body, a share of b for a kinematic one.
void add_side(const Model& model, std::span<const Prediction> predictions, int body, const TwistRows& rows, int count,
              int block, ContactProblem& problem, Vec3& b) {
  if (model.bodies[body].mobility != Mobility::dynamic) {
    const Prediction& p = predictions[body];
    b += rows.leftCols<3>() * p.linear + rows.rightCols<3>() * p.angular;
    return;
  }
  const DofSelection dofs = dofs_of(model.bodies[body]);
  TwistBlock selected(count, dofs.count);
  for (int i = 0; i < dofs.count; ++i) selected.col(i) = rows.col(dofs.component[i]).head(count);
  problem.j.add(problem.a, block, selected);
}

/// A body's velocity at a point at the start of the step. For a kinematic body it is that of the step, since its
/// earlier velocity is not known in the first step.
Vec3 velocity_before(const Model& model, const State& state, std::span<const Prediction> predictions, int body,
                     const Vec3& point) {
  const BodyState& s = state.bodies[body];
  const Vec3 arm = point - s.pose.position;
  if (model.bodies[body].mobility == Mobility::dynamic) return point_velocity(s, arm);
  return point_velocity(predictions[body], arm);
}

/// The law with the friction that belongs to the slip at the start of the step: explicit, so that every solver stays
/// exact for the law of the step.
Law law_at_slip(const Model& model, const State& state, std::span<const Prediction> predictions,
                const Contact& contact) {
  Law law = contact.law;
  if (contact.static_ratio == 1.0) return law;
  const Vec3 velocity = velocity_before(model, state, predictions, contact.body_a, contact.point()) -
                        velocity_before(model, state, predictions, contact.body_b, contact.point());
  const double slip = (contact.basis.transpose() * velocity).segment(1, contact.rows - 1).norm();
  const double factor = friction_factor(contact.static_ratio, contact.slip_velocity, slip);
  law.mu *= factor;
  law.mu_cross *= factor;
  return law;
}

}  // namespace

void assemble(const Model& model, const State& state, std::span<const Prediction> predictions,
              std::span<const Contact> contacts, std::span<const JointRows> joint_rows, const Island& island,
              std::span<const double> biases, ContactProblem& problem) {
  problem.a.clear();
  problem.j.clear();
  problem.laws.clear();
  int dofs = 0;
  int rows = 0;
  for (int body : island.bodies) dofs += dofs_of(model.bodies[body]).count;
  for (int c : island.contacts) rows += contacts[c].rows + rolling_torsional_row_count(contacts[c]);
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
  auto bias = biases.begin();
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
    b[0] += *bias++;
    problem.b.segment(row, contact.rows) = b.head(contact.rows);
    problem.laws.push_back(law_at_slip(model, state, predictions, contact));
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
  for_each_rolling_torsional_group(contacts, island, [&](const RollingTorsionalRows& group) {
    const Contact& contact = contacts[island.contacts[group.contact]];
    TwistRows twists = TwistRows::Zero();
    twists.rightCols<3>() = group.axes;
    Vec3 b = Vec3::Zero();
    problem.j.begin_group(group.rows);
    add_side(model, predictions, contact.body_a, twists, group.rows, block_of(contact.body_a), problem, b);
    add_side(model, predictions, contact.body_b, -twists, group.rows, block_of(contact.body_b), problem, b);
    problem.b.segment(row, group.rows) = b.head(group.rows);
    problem.laws.push_back(group.law);
    row += group.rows;
  });
}

void bias_by_adhesion(std::span<const Contact> contacts, const Island& island, double h, ContactProblem& problem,
                      VecX& guess) {
  thread_local VecX pull;  // scratch without an allocation per call
  thread_local VecX change;
  bool any = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const double a = h * contacts[island.contacts[k]].adhesion;
    if (a == 0.0) continue;
    if (!any) pull.setZero(problem.a.rows());
    any = true;
    const int group = static_cast<int>(k);
    const double along_normal[3] = {a, 0.0, 0.0};
    problem.j.add_transposed_group(group, along_normal, pull);
    guess[problem.j.group(group).row] += a;
  }
  if (!any) return;
  problem.a.solve(pull, change);
  problem.v_free -= change;
}

}  // namespace cardhouse
