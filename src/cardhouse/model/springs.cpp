#include "cardhouse/model/springs.h"

namespace cardhouse {

SpringEnd end_at(int body, const Stencil& stencil, const Vec3& point, const State& state) {
  if (body < 0) return {Vec3::Zero(), point, Vec3::Zero()};
  const BodyState& s = state.bodies[body];
  const Pose frame = frame_at(s, stencil);
  const Vec3 arm = frame.orientation * point;
  return {arm, frame.position + arm, point_velocity(s, stencil, arm)};
}

void add_force(const BodyState& s, const Stencil& stencil, const Vec3& arm, const Vec3& force, Wrench& wrench) {
  if (stencil.count == 0) {
    wrench.force += force;
    wrench.torque += arm.cross(force);
    return;
  }
  if (wrench.on_nodes.size() == 0) wrench.on_nodes.setZero(s.nodes.size());
  for (int i = 0; i < stencil.count; ++i) {
    wrench.on_nodes.segment<3>(3 * stencil.node[i]) += stencil.weight[i] * force;
  }
}

double spring_energy(const Spring& spring, const State& state) {
  const auto [first, second] = ends_of(spring, state);
  const double stretch = (second.point - first.point).norm() - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch;
}

void add_spring_force(const Spring& spring, const State& state, std::span<Wrench> wrenches) {
  const SpringEnds ends = ends_of(spring, state);
  const Vec3 between = ends.second.point - ends.first.point;
  const double length = between.norm();
  if (length == 0.0) return;  // no direction to pull in
  const Vec3 direction = between / length;
  const double rate = direction.dot(ends.second.velocity - ends.first.velocity);
  const Vec3 pull = (spring.stiffness * (length - spring.rest_length) + spring.damping * rate) * direction;
  add_force_between(spring, ends, pull, state, wrenches);
}

}  // namespace cardhouse
