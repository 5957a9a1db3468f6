// Forces between all bodies: gravitation −G m_i m_j/ρ and electrostatics k q_i q_j/ρ, ρ² = r² + ε², between centres of
// mass: bodies act as points, which is exact for balls that stay apart. All bodies with a mass attract, fixed and
// kinematic ones too, and all with a charge act by it; only dynamic ones feel it.
#pragma once

#include <span>

#include "cardhouse/model/model.h"
#include "cardhouse/model/source_tree.h"
#include "cardhouse/model/state.h"

namespace cardhouse {

/// Whether a model has any of these forces.
bool acts(const GlobalForces& forces);

/// Keeps its trees' memory from step to step.
class GlobalField {
 public:
  void add_forces(const Model& model, const State& state, std::span<Wrench> wrenches);
  /// J, of all pairs of which at least one moves.
  double energy(const Model& model, const State& state);

 private:
  void gather(const Model& model, const State& state);

  SourceTree masses_, charges_;
  std::vector<int> mass_index_, charge_index_;  ///< of each body among the sources; −1: none
};

}  // namespace cardhouse
