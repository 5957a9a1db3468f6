// Overlaps that exist when a run starts, or that a user made by moving bodies (docs/contact-model.md, "Overlaps at the
// start"). Rows n·v + gap/h ≥ 0 would push them apart at depth/h, which is as fast as the step is short. Kept ones are
// an offset of their pair of shapes instead: rows count the gap from there,
//
//     n·v + (gap + kept)/h ≥ 0,   0 ≤ kept, never larger than it was or than the pair's depth is now
//
// so that the pair rests as it is, never sinks deeper, and stays apart as far as it came apart.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/rows/contact.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// Two shapes, the one with the lower number first.
using ShapePair = std::pair<int, int>;

/// The pairs of the impulses that a step left, sorted as these are.
void list_pairs(std::span<const StoredImpulse> impulses, std::vector<ShapePair>& pairs);

/// Brings the kept overlaps to the contacts that a search found, both sorted by shapes, and counts the gaps of their
/// pairs from there. Those that came apart shrink or are dropped. Pairs that overlap by more than rounding are
/// new, unless they were near each other in the step before (`met`, sorted): motion made their overlap.
void keep_overlaps(const StepSettings& settings, std::span<const ShapePair> met, std::vector<KeptOverlap>& kept,
                   std::span<Contact> contacts);

/// m: the deepest; 0: there is none.
double deepest(std::span<const KeptOverlap> kept);

/// Says which overlaps are kept that were not `before`, with the bodies of the deepest; empty when there is none.
std::string words_of_new_overlaps(const Model& model, std::span<const KeptOverlap> before,
                                  std::span<const KeptOverlap> kept);

}  // namespace cardhouse
