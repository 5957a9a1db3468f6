#include "cardhouse/stepping/records/outside_impulse.h"

namespace cardhouse {
namespace {

bool is_dynamic(const Model& model, int body) {
  return body >= 0 && model.bodies[body].mobility == Mobility::dynamic;
}

Momentum impulse_at(const Vec3& point, const Vec3& impulse, const Vec3& turning) {
  return {impulse, point.cross(impulse) + turning};
}

/// Of a pair, by what acts on its first body: nothing, unless just one of the two is dynamic.
Momentum impulse_of_pair(const Model& model, int first, int second, const Momentum& on_first) {
  const bool moves = is_dynamic(model, first);
  if (moves == is_dynamic(model, second)) return {};
  return moves ? on_first : Momentum{-on_first.linear, -on_first.angular};
}

/// Forces that act on the body, and its drag, which acts at the end of the step.
Momentum impulse_of_forces(const ImpulseInput& step, std::size_t i) {
  const Body& body = step.model.bodies[i];
  const BodyState& start = step.start.bodies[i];
  const Wrench& wrench = step.forces[i];
  const Vec3 force = step.step * wrench.force;
  Momentum sum = impulse_at(start.pose.position, force, step.step * wrench.torque);
  for (Eigen::Index n = 0; n < wrench.on_nodes.size(); n += 3) {
    sum += impulse_at(start.nodes.segment<3>(n), step.step * wrench.on_nodes.segment<3>(n), Vec3::Zero());
  }
  if (body.linear_damping == 0.0 && body.angular_damping == 0.0) return sum;
  const Momentum drag = equations_of(body).drag_impulse(body, start, step.end[i], step.step);
  return sum += drag;
}

}  // namespace

Momentum outside_impulse(const ImpulseInput& step) {
  Momentum sum;
  for (std::size_t i = 0; i < step.model.bodies.size(); ++i) {
    if (step.model.bodies[i].mobility == Mobility::dynamic) sum += impulse_of_forces(step, i);
  }
  for (const ContactRecord& contact : step.contacts) {
    const Momentum push = impulse_at(contact.point, contact.impulse, contact.turning);
    sum += impulse_of_pair(step.model, contact.body_a, contact.body_b, push);
  }
  for (std::size_t j = 0; j < step.joints.size(); ++j) {
    const JointRecord& record = step.joints[j];
    const Momentum push = impulse_at(record.point, record.impulse, record.torque);
    sum += impulse_of_pair(step.model, step.model.joints[j].first, step.model.joints[j].second, push);
  }
  return sum;
}

Momentum impulse_of_springs(const SolvedIslands& solved, const Model& model, const State& start,
                            std::span<const JointRows> joint_rows) {
  Momentum sum;
  for (std::size_t i = 0; i < solved.islands.size(); ++i) {
    const Island& island = solved.islands[i];
    for (std::size_t k = 0; k < island.joint_rows.size(); ++k) {
      const JointRows& group = joint_rows[island.joint_rows[k]];
      if (group.joint >= 0) continue;
      const int row = solved.solves[i]->problem.j.group(static_cast<int>(island.contacts.size() + k)).row;
      const Vec3 origin = origin_of(start.bodies[group.first], group.stencil_first);
      for (int n = 0; n < group.rows; ++n) {
        const double r = solved.solves[i]->solution.r[row + n];
        const Vec3 linear = r * group.on_first.row(n).head<3>().transpose();
        const Vec3 turning = r * group.on_first.row(n).tail<3>().transpose();
        sum += impulse_of_pair(model, group.first, group.second, impulse_at(origin, linear, turning));
      }
    }
  }
  return sum;
}

}  // namespace cardhouse
