#pragma once

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// J. Potential energy counts gravity (zero at the origin), constant forces, springs, what bodies store and what acts
/// between all bodies (zero far apart); dynamic bodies only.
struct Energy {
  double kinetic = 0.0;
  double potential = 0.0;
  double total() const { return kinetic + potential; }
};

/// J, of one body.
double kinetic_energy(const Body& body, const BodyState& s);

Energy energy_of(const Model& model, const State& state);

}  // namespace cardhouse
