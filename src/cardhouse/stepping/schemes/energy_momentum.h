// The energy–momentum step: no step gains energy (docs/contact-model.md, "Energy and momentum"). It meets the contacts
// twice, as RATTLE does.
//
// The places. Mean velocities V = (v + v₁)/2 lead to q⁺ = q + h V (equations.h, MeanStep), with
//
//     gap(q⁺) ≥ 0 ⊥ λ_N ≥ 0,   λ_T minimises λ_T · u_T with the slip u_T of the mean velocities
//
// and forces along the discrete gradients of the gaps (mean_rows.h). A free flight keeps its energy (Simo & Wong 1991),
// gravity is exact under the mean update, the normal impulse does the work λ_N (gap(q⁺) − gap(q))/h ≤ 0, friction
// λ_T · u_T ≤ 0: E(q⁺, v₁) ≤ E(q, v) (Gonzalez 1996; Simo & Tarnow 1992).
//
// The velocities. v₁ rebounds from what it met, and keeps what is of third order in h. So impulses are taken back: at
// the contacts that are closed at q⁺, with J of q⁺ and r the whole impulse of the step,
//
//     M v⁺ = M v₁ + Jᵀ (r − λ),   0 ≤ r_N ⊥ u_N⁺ ≥ 0,   r_T minimises r_T · u_T⁺ over F(r_N)
//
// With d = r − λ, K(v⁺) − K(v₁) = d · u⁺ − ½ d · W d. Normal impulses have d_N u_N⁺ = −λ_N u_N⁺ ≤ 0 whatever they are;
// that they may be taken back is the law of adhesion, which assemble.h has. Friction has d_T · u_T⁺ ≤ 0 where it ends
// sticking, but may gain where it slides on with less pressure. An island that gains more than its friction λ_T · u_T
// took is solved again with d_T minimising d_T · u_T⁺ over what λ_T left of the cone: then d_T · u_T⁺ ≤ 0 always.
// Contacts that begin to touch have friction at the end alone.
#pragma once

#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

/// One step: the state moves to its end.
const StepReport& energy_momentum_step(TimeStepping& verbs, const Model& model, State& state);

/// Throws InputError for what the scheme cannot do; nothing for other schemes.
void check_energy_momentum(const Model& model, const StepSettings& settings);

}  // namespace cardhouse
