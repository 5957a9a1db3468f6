// Contacts add no energy: overlaps that motion made are removed only as far as the step's energy losses, or the bodies'
// rotation, pay for it (docs/contact-model.md).
//
// When bodies turn, the gap bends below the tangent that their row n·v + gap/h ≥ 0 follows. They sink in by the square
// of the angle that they turn in a step. The next step pushes them out, which does the work r_N depth/h. An ellipse
// that rocks sinks in while it is fast, and loses ½ Δv·M Δv (island_energy.h) while it turns back. Over a swing both
// are equal, but not in each step. So the push is scaled,
//
//     n·v ≥ c depth/h,   0 ≤ c ≤ 1,   one c for the overlaps of an island, the largest found with ΔE ≤ 0
//
// and the rest of the overlap stays until motion pays for it.
//
// In space a body may sink deeper in every step, as a coin does that rolls on its rim, and a step may gain energy
// without any push. Overlap beyond the allowed depth, and the remaining gain, are paid for by rotation: the normal
// force acts ahead of the contact, where the surfaces approach each other, as rolling friction does. With w the bodies'
// relative angular velocity across the normal, the row moved ahead by a distance a is
//
//     n·v − a ŵ·(w_a − w_b) ≥ s,   so that n·v ≥ s + a ‖w‖: bodies part faster than the work r_N s is done for
//
// Pairs that were not near each other in the step before overlapped at the start, or the user moved them there. Their
// overlaps are removed in full, whatever the energy does.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cardhouse/stepping/rescue/island_solve.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// Two shapes, the one with the lower number first.
using ShapePair = std::pair<int, int>;

/// What a step's pushes are judged by.
struct PushInput {
  const Model& model;
  const State& state;
  std::span<const Prediction> predictions;
  std::span<const Contact> contacts;
  std::span<const ShapePair> met;  ///< in the step before, sorted
  const StepSettings& settings;
};

/// The pairs of the impulses that a step left, sorted as these are.
void list_pairs(std::span<const StoredImpulse> impulses, std::vector<ShapePair>& pairs);

/// Finds the rows that push or whose bodies rotate. Before the first solve it sets them to what the guessed impulses
/// pay for. The solve is then seldom repeated, and a structure that rests in an overlap asks for nothing.
void begin_push(const PushInput& input, const Island& island, IslandSolve& s);

/// Solves again until the island gains no energy and at most a hundredth of what it dissipates is unused. A certified
/// answer is replaced only by another certified one.
void limit_push(const PushInput& input, const Island& island, IslandSolve& s);

}  // namespace cardhouse
