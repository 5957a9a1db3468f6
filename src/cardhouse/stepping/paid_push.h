// Contacts add no energy: overlaps that motion made are undone as far as the step pays for it, and by the bodies' own
// turning (docs/contact-model.md).
//
// Of bodies that turn the gap bends below the tangent that their row n·v + gap/h ≥ 0 follows: they sink in by the
// square of the angle that they turn in a step, and the next step pushes them out, which does the work r_N depth/h. An
// ellipse that rocks sinks in while it is fast, and loses ½ Δv·M Δv (island_energy.h) while it turns back. Over a
// swing both are alike, but not in each step. So the push is scaled,
//
//     n·v ≥ c depth/h,   0 ≤ c ≤ 1,   one c for the overlaps of an island, the largest found with ΔE ≤ 0
//
// and what is left of the overlap waits until motion pays for it.
//
// In space a body may sink in step after step for ever, as a coin does that rolls on its rim, and a step may gain
// without any push. What is deeper than a body may lie, and what is still gained, is taken from the turning: the normal
// force acts ahead of the contact, where the surfaces approach by it, as rolling friction does. With w the bodies'
// relative angular velocity across the normal, the row moved ahead by a distance a is
//
//     n·v − a ŵ·(w_a − w_b) ≥ s,   so that n·v ≥ s + a ‖w‖: bodies part faster than the work r_N s is done for
//
// Overlaps of pairs that were not near each other in the step before were there at the start, or a hand put them there:
// they are undone in full, whatever it costs.
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

/// Finds the rows that push or turn and sets them, before the first solve, to what is paid with the guessed impulses:
/// the solve is then seldom repeated, and a structure that rests in an overlap asks for nothing.
void begin_push(const PushInput& input, const Island& island, IslandSolve& s);

/// Solves again until the island gains no energy and all that is dissipated pays, but for a hundredth. An answer that
/// is certified gives way only to another one.
void limit_push(const PushInput& input, const Island& island, IslandSolve& s);

}  // namespace cardhouse
