// The implicit midpoint rule with the constraint where it evaluates all forces, at the midpoint (Kaufman 2009,
// Eq. 4.29 and 4.39 before Moreau's transform; Stewart 2000 on its energy):
//
//     M v⁺ = M v − h ∇V(q_m) + Jᵀ r,   q⁺ = q + h/2 (v + v⁺),   q_m = (q + q⁺)/2,   0 ≤ r ⊥ g(q_m) ≥ 0.
//
// Symplectic without contacts. With them the velocity after a collision depends on where within the step it happens: a
// particle that meets a wall at the distance d = θ h |v| leaves with a speed between 0 and 3 |v|.
#pragma once

#include "cardhouse/variational/coupled_minimisation.h"

namespace cardhouse {

/// One step of h seconds. `equations` and `w` are scratch that is kept between steps.
StepQuality step_implicit_midpoint(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                                   StepEquations& equations, VecX& w, PhasePoint& state);

}  // namespace cardhouse
