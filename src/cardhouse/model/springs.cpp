#include "cardhouse/model/springs.h"

namespace cardhouse {
namespace {

SpringEnd end_of(int body, const Stencil& stencil, const Vec3& local, const State& state) {
  if (body < 0) return {Vec3::Zero(), local, Vec3::Zero()};
  const BodyState& s = state.bodies[body];
  const Pose frame = frame_at(s, stencil);
  const Vec3 arm = frame.orientation * local;
  return {arm, frame.position + arm, point_velocity(s, stencil, arm)};
}

}  // namespace

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

SpringEnds spring_ends(const Spring& spring, const State& state) {
  return {end_of(spring.first, spring.stencil_first, spring.point_first, state),
          end_of(spring.second, spring.stencil_second, spring.point_second, state)};
}

double spring_energy(const Spring& spring, const State& state) {
  const auto [first, second] = spring_ends(spring, state);
  const double stretch = (second.point - first.point).norm() - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch;
}

void add_spring_force(const Spring& spring, const State& state, std::span<Wrench> wrenches) {
  const auto [first, second] = spring_ends(spring, state);
  const Vec3 between = second.point - first.point;
  const double length = between.norm();
  if (length == 0.0) return;  // no direction to pull in
  const Vec3 direction = between / length;
  const double rate = direction.dot(second.velocity - first.velocity);
  const Vec3 pull = (spring.stiffness * (length - spring.rest_length) + spring.damping * rate) * direction;
  add_force(state.bodies[spring.first], spring.stencil_first, first.arm, pull, wrenches[spring.first]);
  if (spring.second < 0) return;
  add_force(state.bodies[spring.second], spring.stencil_second, second.arm, -pull, wrenches[spring.second]);
}

}  // namespace cardhouse
