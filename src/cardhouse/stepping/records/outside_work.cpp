#include "cardhouse/stepping/records/outside_work.h"

#include <algorithm>
#include <vector>

#include "cardhouse/model/energy.h"
#include "cardhouse/model/global_forces.h"
#include "cardhouse/model/springs.h"

namespace cardhouse {
namespace {

/// An impulse at a point, and one that only turns.
struct PointImpulse {
  Vec3 point = Vec3::Zero();
  Vec3 impulse = Vec3::Zero();
  Vec3 torque = Vec3::Zero();  ///< N m s, about the point
};

/// What a body does that pushes so; nothing, unless it is moved.
double work_of(const WorkInput& step, int body, const PointImpulse& push) {
  if (body < 0 || step.model.bodies[body].mobility != Mobility::kinematic) return 0.0;
  const BodyState& moved = step.end.bodies[body];
  const Vec3 arm = push.point - step.start.bodies[body].pose.position;
  return push.impulse.dot(point_velocity(moved, arm)) + push.torque.dot(moved.angular);
}

/// Of a pair, by the impulse on its first body.
double work_of_pair(const WorkInput& step, int first, int second, const PointImpulse& on_first) {
  return work_of(step, second, on_first) - work_of(step, first, on_first);
}

double work_of_motors(const WorkInput& step, std::size_t joint) {
  const JointState& start = step.start.joints[joint];
  const JointState& end = step.end.joints[joint];
  double sum = 0.0;
  for (int c = 0; c < coordinate_count(step.model.joints[joint]); ++c) {
    const int motor = JointState::constraint_slots + c * JointState::drive_slots + 2;
    sum += end.impulse[motor] / step.step * (end.coordinate[c] - start.coordinate[c]);
  }
  return sum;
}

/// Of a constant wrench along the way of a body.
double work_along(const WorkInput& step, std::size_t body, const Wrench& given) {
  const BodyState& start = step.start.bodies[body];
  const BodyState& end = step.end.bodies[body];
  const double on_nodes = given.on_nodes.size() > 0 ? given.on_nodes.dot(end.nodes - start.nodes) : 0.0;
  if (given.force.isZero(0.0) && given.torque.isZero(0.0)) return on_nodes;
  const Pose& from = start.pose;
  const Pose& to = end.pose;
  return on_nodes + given.force.dot(to.position - from.position) +
         given.torque.dot(vector_from_rotation(to.orientation * from.orientation.conjugate()));
}

double work_of_forces(const WorkInput& step, std::size_t body) {
  if (step.model.bodies[body].mobility != Mobility::dynamic) return 0.0;
  return work_along(step, body, step.forces[body]);
}

bool is_moved(const Body& body) {
  return body.mobility == Mobility::kinematic;
}

/// Work of kinematic bodies through springs and forces at a distance: the change of the potential when these bodies
/// alone move. Dampers have no potential: for them it is their pull at the start of the step, along the path.
double work_at_a_distance(const WorkInput& step) {
  const Model& model = step.model;
  if (model.springs.empty() && model.potentials.empty() && !acts(model.global_forces)) return 0.0;
  if (std::none_of(model.bodies.begin(), model.bodies.end(), is_moved)) return 0.0;
  State moved = step.start;
  std::vector<Wrench> pulls(model.bodies.size());
  for (Spring damper : model.springs) {
    damper.stiffness = 0.0;
    if (damper.damping > 0.0) add_spring_force(damper, step.start, pulls);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!is_moved(model.bodies[i])) continue;
    moved.bodies[i].pose = step.end.bodies[i].pose;
    moved.bodies[i].nodes = step.end.bodies[i].nodes;
    sum -= work_along(step, i, pulls[i]);
  }
  return sum + energy_of(model, moved).potential - energy_of(model, step.start).potential;
}

}  // namespace

double outside_work(const WorkInput& step) {
  double sum = work_at_a_distance(step);
  for (std::size_t i = 0; i < step.forces.size(); ++i) sum += work_of_forces(step, i);
  for (const ContactRecord& contact : step.contacts) {
    const PointImpulse push{contact.point, contact.impulse, contact.turning};
    sum += work_of_pair(step, contact.body_a, contact.body_b, push);
  }
  for (std::size_t j = 0; j < step.joints.size(); ++j) {
    const Joint& joint = step.model.joints[j];
    const JointRecord& record = step.joints[j];
    sum += work_of_pair(step, joint.first, joint.second, {record.point, record.impulse, record.torque});
    sum += work_of_motors(step, j);
  }
  return sum;
}

bool works_from_outside(const Model& model) {
  const auto has_motor = [](const Joint& joint) {
    return std::any_of(joint.drives.begin(), joint.drives.end(),
                       [](const JointDrive& drive) { return drive.motor.has_value(); });
  };
  const auto is_driven = [](const Body& body) { return is_moved(body) || !body.torque.isZero(0.0); };
  return std::any_of(model.bodies.begin(), model.bodies.end(), is_driven) ||
         std::any_of(model.joints.begin(), model.joints.end(), has_motor);
}

}  // namespace cardhouse
