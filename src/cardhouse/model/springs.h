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
SpringEnds spring_ends(const Spring& spring, const State& state);

/// Adds a force at an arm (m) from a stencil's origin. On nodes it acts by their weights and turns nothing.
void add_force(const BodyState& s, const Stencil& stencil, const Vec3& arm, const Vec3& force, Wrench& wrench);

/// J.
double spring_energy(const Spring& spring, const State& state);

/// Adds the spring's pull to the wrenches of its bodies.
void add_spring_force(const Spring& spring, const State& state, std::span<Wrench> wrenches);

}  // namespace cardhouse
