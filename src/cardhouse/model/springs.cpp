#include "cardhouse/model/springs.h"

namespace cardhouse {
namespace {

SpringEnd end_of(int body, const Vec3& local, const State& state) {
  if (body < 0) return {Vec3::Zero(), local, Vec3::Zero()};
  const BodyState& s = state.bodies[body];
  const Vec3 arm = s.pose.orientation * local;
  return {arm, s.pose.position + arm, point_velocity(s, arm)};
}

}  // namespace

SpringEnds spring_ends(const Spring& spring, const State& state) {
  return {end_of(spring.first, spring.point_first, state), end_of(spring.second, spring.point_second, state)};
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
  wrenches[spring.first].force += pull;
  wrenches[spring.first].torque += first.arm.cross(pull);
  if (spring.second >= 0) {
    wrenches[spring.second].force -= pull;
    wrenches[spring.second].torque -= second.arm.cross(pull);
  }
}

}  // namespace cardhouse
