#pragma once

#include <optional>
#include <string>

#include "cardhouse/world/scene.h"

namespace cardhouse {

/// How bodies overlap where a scene starts.
struct StartOverlap {
  int contacts = 0;      ///< that overlap by more than rounding
  double deepest = 0.0;  ///< m, positive
  std::string first;     ///< the two bodies of the deepest one, by name
  std::string second;
};

/// Empty when nothing overlaps. Throws InputError when bodies meet at the start that can't touch.
std::optional<StartOverlap> find_start_overlap(const Scene& scene);

/// What it means for the run, in a sentence.
std::string start_overlap_words(const StartOverlap& overlap, const StepSettings& settings);

}  // namespace cardhouse
