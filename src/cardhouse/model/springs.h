#pragma once

#include <span>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// One end of a spring, world frame.
struct SpringEnd {
  Vec3 arm = Vec3::Zero();  ///< m, from the centre of mass
  Vec3 point = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};
struct SpringEnds {
  SpringEnd first, second;
};
/// `point`: of the body's frame or the stencil's origin; of the world for body −1.
SpringEnd end_at(int body, const Stencil& stencil, const Vec3& point, const State& state);

/// The ends of a spring, or of another pair of points with the same members.
template <typename Pair>
SpringEnds ends_of(const Pair& pair, const State& state) {
  return {end_at(pair.first, pair.stencil_first, pair.point_first, state),
          end_at(pair.second, pair.stencil_second, pair.point_second, state)};
}

/// Adds a force at an arm (m) from a stencil's origin. On nodes it acts by their weights and turns nothing.
void add_force(const BodyState& s, const Stencil& stencil, const Vec3& arm, const Vec3& force, Wrench& wrench);

/// The force on the first end of such a pair, and its opposite on the second.
template <typename Pair>
void add_force_between(const Pair& pair, const SpringEnds& ends, const Vec3& on_first, const State& state,
                       std::span<Wrench> wrenches) {
  add_force(state.bodies[pair.first], pair.stencil_first, ends.first.arm, on_first, wrenches[pair.first]);
  if (pair.second < 0) return;
  add_force(state.bodies[pair.second], pair.stencil_second, ends.second.arm, -on_first, wrenches[pair.second]);
}

/// J.
double spring_energy(const Spring& spring, const State& state);

/// Adds the spring's pull to the wrenches of its bodies.
void add_spring_force(const Spring& spring, const State& state, std::span<Wrench> wrenches);

}  // namespace cardhouse
