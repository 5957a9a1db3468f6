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
// The velocities. v₁ rebounds from what it met, and keeps what is of third order in h. So the normal impulses may be
// taken back: at the contacts that are closed at q⁺, with J of q⁺,
//
//     M v⁺ = M v₁ + Jᵀ r,   0 ≤ r_N + λ_N ⊥ u_N⁺ ≥ 0,   r_T minimises r_T · u_T⁺ over F(r_N + λ_N)
//
// which is the law of adhesion. From r · u⁺ ≤ 0 follows K(v⁺) − K(v₁) = r · u⁺ − ½ r · W r ≤ 0, whatever λ is. What the
// friction of the places took of the cone is not there any more for that of the velocities. Contacts that begin to
// touch have friction at the end alone.
#pragma once

#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

/// One step: the state moves to its end.
const StepReport& energy_momentum_step(TimeStepping& verbs, const Model& model, State& state);

/// Throws InputError for what the scheme cannot do; nothing for other schemes.
void check_energy_momentum(const Model& model, const StepSettings& settings);

}  // namespace cardhouse
