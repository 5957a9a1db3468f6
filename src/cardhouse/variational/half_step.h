// The symmetric half-step variational integrator (Kaufman 2009, section 4.5, Eq. 4.51–4.55).
//
// With δ = (q⁺ − q)/h = (v + v⁺)/2 the two coupled minimisations are
//
//     δ minimises  ½ δᵀ M δ − δᵀ (p + ½ f) + V(q + h/2 δ)    over  n · δ ≥ 0  where g(q) ≤ 0          (4.51)
//     f minimises  f · v⁺                                    over  the friction that the contacts allow  (4.52)
//
// and q⁺ = q + h δ, p⁺ = 2 M δ − p (4.54, 4.55). In the unknown w = v⁺: forces act at q + h/4 (v + w) during h, and the
// row n · δ ≥ 0 is n · (w + v) ≥ 0: a perfectly elastic law. Contacts begin when a gap is closed at the start of a
// step, so that bodies sink in by up to h |v| before they bounce, at the place that they have reached. Energy: without
// obstacles and where the potential is linear the step keeps it (to round-off when both hold); else it fluctuates with
// h². Friction takes energy in every step.
#pragma once

#include "cardhouse/variational/coupled_minimisation.h"

namespace cardhouse {

/// One step of h seconds. `equations` and `w` are scratch that is kept between steps.
StepQuality step_half_step(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                           StepEquations& equations, VecX& w, PhasePoint& state);

}  // namespace cardhouse
