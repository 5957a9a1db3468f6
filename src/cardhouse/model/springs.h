#pragma once

#include <span>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// J.
double spring_energy(const Spring& spring, const State& state);

/// Adds the spring's pull to the wrenches of its bodies.
void add_spring_force(const Spring& spring, const State& state, std::span<Wrench> wrenches);

}  // namespace cardhouse
