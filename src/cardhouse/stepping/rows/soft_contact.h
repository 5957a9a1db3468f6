// Soft contacts: penalty forces in place of constraints, integrated implicitly.
//
// A contact with the gap g⁺ at the end of the step pushes with k_n max(0, −g⁺); a spring k_t holds the places that
// touch together, until it would pull with more than mu times the normal force, when they slip and the spring is
// dragged along (ETH contact mechanics slides, "Soft constraints": normal, sticking and sliding force). With g⁺ = g + h
// n·v⁺ and the spring's stretch s⁺ = s + h v_T⁺ the impulses r = h f obey
//
//     0 ≤ r_N ⊥ n·v⁺ + g/h + r_N/(h² k_n) ≥ 0        and Coulomb's law with        v_T⁺ + s/h + r_T/(h² k_t)
//
// in place of v_T⁺: the contact problem of the house with a compliance, solved and certified like any other. Sticking
// or slipping, the stretch at the end is s⁺ = −r_T/(h k_t): the last step's impulse is all that an anchor needs.
//
// The slides' own sticking force is viscous, −k_v v_T, which creeps; that is the rule `viscous`, v_T⁺ + r_T/(h k_v).
#pragma once

#include <span>

#include "cardhouse/contact/problem.h"
#include "cardhouse/model/body_motion.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// Fills in stiffnesses that were left at 0. The mass of all dynamic bodies on one contact sinks in by 1e-4 of the
/// smallest dynamic body's size, under gravity or 1 m/s², whichever is more. Sticking is as stiff. By the viscous rule
/// it creeps by 1 mm/s under that weight.
SoftContact complete(const SoftContact& given, const Model& model);

/// Where anchors are at the start of a step.
struct Anchors {
  std::vector<StoredImpulse> last;  ///< impulses of the step before
  std::vector<BodyMotion> moved;  ///< m, rad: what bodies have moved since that step's end, one per body; none: nothing
};

/// Makes the rows of an island's problem soft. `state` is the one that the contacts were found in; `impulses` is
/// scratch.
void soften(const SoftContact& soft, double h, const State& state, std::span<const Contact> contacts,
            const Island& island, const Anchors& anchors, VecX& impulses, ContactProblem& problem);

/// J: what the springs hold at the end of a step of length h, from its forces f = r/h: f_N²/2k_n, and f_T²/2k_t of
/// anchors. Of adhesive contacts the recorded pull is that of spring and adhesion together, as which it counts.
double stored_energy(const SoftContact& soft, double h, std::span<const ContactRecord> contacts);

}  // namespace cardhouse
