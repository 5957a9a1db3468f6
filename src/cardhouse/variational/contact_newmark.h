// The contact Newmark scheme of Kane, Repetto, Ortiz & Marsden (1999), for β = ¼ and γ = ½, without friction:
//
//     q⁺ = q + h v + h²/2 [(1 − 2β) a + 2β a⁺ + a_c⁺],      a = −M⁻¹ ∇V
//     v⁺ = v + h [(1 − γ) a + γ a⁺ + a_c⁺]
//
// where the contact force M a_c⁺ keeps the end of the step, 0 ≤ r ⊥ g(q⁺) ≥ 0: contact is implicit, whatever β and γ.
// In the unknown w = (q⁺ − q)/h: M w = M v − h/2 (1 − 2β) ∇V(q) − h β ∇V(q + h w) + Jᵀ r with r = h/2 M a_c⁺. A
// particle that meets a wall at the distance d leaves it with |v| − 2 d/h: anything between |v| and −|v|.
#pragma once

#include "cardhouse/variational/coupled_minimisation.h"

namespace cardhouse {

/// One step of h seconds. `equations` and `w` are scratch that is kept between steps.
StepQuality step_contact_newmark(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                                 StepEquations& equations, VecX& w, PhasePoint& state);

}  // namespace cardhouse
