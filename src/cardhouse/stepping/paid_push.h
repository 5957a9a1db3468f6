// Overlaps of planar bodies are undone only as far as the step pays for it (docs/contact-model.md).
//
// Of bodies that turn the gap bends below the tangent that their row n·v + gap/h ≥ 0 follows: they sink in by the
// square of the angle that they turn in a step, and the next step pushes them out. With M Δv = h f + Jᵀr and the update
// q + h v⁺, energy changes in a step by
//
//     ΔE = Σ r·u° − ½ Δv·M Δv        u°: velocity at the contacts, n·u° = −gap/h where they push, r_T·u°_T ≤ 0
//
// so that open gaps cost energy and overlaps give it: r_N depth/h. An ellipse that rocks sinks in while it is fast and
// is braked, −½ Δv·M Δv, while it turns back. Over a swing both are alike, but not in each step. So the push is scaled,
//
//     n·v + c gap/h ≥ 0,   0 ≤ c ≤ 1,   one c for the overlaps of an island, the largest found with ΔE ≤ 0
//
// and what is left of the overlap waits until motion pays for it. With c = 0 nothing is positive in ΔE. A planar body
// that turns on and on opens gaps as often as it sinks in. In space it may do one of them for ever, as a ball does that
// spins off its centre: the overlap would grow without end. There all of it is undone, whatever it costs.
//
// So it is for overlaps of pairs that did not meet in the step before: these were there at the start, or a hand put
// them there.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cardhouse/stepping/island_solve.h"
#include "cardhouse/stepping/islands.h"
#include "cardhouse/stepping/predict.h"

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

/// Finds the rows that push and scales them, before the first solve, to what is paid with the guessed impulses: the
/// solve is then seldom repeated, and a structure that rests in an overlap asks for nothing.
void begin_push(const PushInput& input, const Island& island, IslandSolve& s);

/// Solves again until the island gains no energy and all that is dissipated pays, but for a hundredth. An answer that
/// is certified gives way only to another one.
void limit_push(const PushInput& input, const Island& island, IslandSolve& s);

}  // namespace cardhouse
