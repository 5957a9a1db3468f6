#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

struct Model;
struct State;

/// Momentum, or an impulse that changes it.
struct Momentum {
  Vec3 linear = Vec3::Zero();   ///< N s
  Vec3 angular = Vec3::Zero();  ///< N m s, about the world's origin

  Momentum& operator+=(const Momentum& other) {
    linear += other.linear;
    angular += other.angular;
    return *this;
  }
};

/// Of all dynamic bodies together.
Momentum momentum_of(const Model& model, const State& state);

}  // namespace cardhouse
