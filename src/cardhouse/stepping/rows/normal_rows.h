// The biases of the contacts' normal rows: gap/h, and restitution by the law of the settings (docs/restitution.md). v⁻
// is the velocity at the start of the step, v₋₁ the one a step earlier, e the coefficient:
//
//     all laws   n·v⁺ + gap/h ≥ 0                       gamma gap/h where bodies overlap (Anitescu 2006, Eq. 5.1);
//                                                       gaps of rigid bodies are rounded
//     newton     n·(v⁺ + e v⁻) ≥ 0                      where gap + h n·v⁻ ≤ 0 (Kaufman 2009, footnote of 5.2.3)
//     impact     n·(v⁺ + e v⁻) ≥ 0                      where gap + h n·v_free ≤ 0 and n·v⁻ < 0 (ETH slides), unless
//                                                       forces end the rebound within the step
//     lagged     n·(v⁺ + e v₋₁) + gap/h ≥ 0             where the contact was hit in the step before (Anitescu 2003),
//                                                       with the same threshold
//     poisson    nothing more: a program of its own (stepping/schemes/poisson.h)
//
// Velocities of a body at rest are 0, so that resting contacts never bounce.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/types.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/schemes/predict.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// What the rows of a step are written from.
struct NormalRowsInput {
  const State& state;
  std::span<const Prediction> predictions;
  std::span<const Contact> contacts;
  std::span<const StoredImpulse> last;  ///< impulses of the step before
  const StepSettings& settings;
};

/// m/s: n·v of the first body against the second at the contact's point, with the velocities of `bodies`.
double normal_velocity(const Contact& contact, const State& places, std::span<const BodyState> bodies);
/// The same in the free motion.
double normal_velocity(const Contact& contact, const State& places, std::span<const Prediction> predictions);

/// Whether a contact approaches and its free motion would close it within the step: a collision of the laws `impact`
/// and `poisson`.
bool collides(const Contact& contact, const NormalRowsInput& input);

/// Whether a contact that came in with n·v = approach (m/s) leaves faster than the forces on either body alone would
/// take back within the step. Below that a structure at rest only shivers. Rows that ask for such rebounds are noise,
/// and they contradict each other. (Either body alone: two bodies may fall alike while others hold one of them.)
bool rebounds(const Contact& contact, const NormalRowsInput& input, double approach);

/// Bias (m/s): gap/h, or the part of an overlap that the step is to remove, and what the gap bends by on the way. Gaps
/// are rounded, so that rows of bodies at rest stay the same. Soft contacts keep their full gap.
double gap_bias(const Contact& contact, const StepSettings& settings);

/// b of the normal rows of an island's contacts, one each (m/s). `impulses` is scratch.
void write_normal_biases(const NormalRowsInput& input, const Island& island, VecX& impulses,
                         std::vector<double>& biases);

}  // namespace cardhouse
