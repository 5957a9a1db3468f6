// The velocity-level form of the variational integrator (Kaufman 2009, section 4.6, Eq. 4.61 with its factor ½ put
// right, and Eq. 4.59 with q^p = q + h/4 v):
//
//     v⁺ minimises  ½ vᵀ M v − vᵀ (f + p) + 4 V(q^p + h/4 v)    over  n · v ≥ 0  where g(q^p) ≤ 0
//
// and q⁺ = q + h/2 (v + v⁺). It differs from the half-step form in its contacts alone: the row holds the new velocity,
// a perfectly inelastic law, and gaps and normals are taken at q^p.
#pragma once

#include "cardhouse/variational/coupled_minimisation.h"

namespace cardhouse {

/// One step of h seconds. `equations` and `w` are scratch that is kept between steps.
StepQuality step_velocity_level(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                                StepEquations& equations, VecX& w, PhasePoint& state);

}  // namespace cardhouse
