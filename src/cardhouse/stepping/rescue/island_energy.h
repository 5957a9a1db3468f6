// What contacts do to the energy of an island's bodies in a step. With M Δv = h f + Jᵀr and the update q + h v⁺,
//
//     ΔE = Σ r·(J v⁺) − ½ Δv·M Δv − ½ h Σ τ·ẇ
//
// The last term belongs to spatial bodies with unequal moments of inertia. Rows hold their angular velocity in the
// middle of the step. Its free change ẇ = I⁻¹(L × w) makes it differ from the one at the start, on which the contacts'
// impulsive torques τ do their work. It has either sign.
#pragma once

#include <span>

#include "cardhouse/stepping/rescue/island_solve.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// The work of bodies whose motion is prescribed, and of joints, does not count as gain: they have gains and losses of
/// their own. With the impulses and velocities of the last solve; fills s.velocity.
EnergyGain island_energy(const Model& model, const State& state, std::span<const Prediction> predictions,
                         std::span<const Contact> contacts, const StepSettings& settings, const Island& island,
                         IslandSolve& s);

}  // namespace cardhouse
