// Warnings of what can be simulated, but was hardly meant: most often a unit that was mixed up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/world/scene.h"

namespace cardhouse {

/// Each in a sentence; none for a scene in which nothing looks odd:
/// - dynamic bodies of which one is at least a thousand times as large as another,
/// - limits of a joint's angle beyond a whole turn, 2 pi, as degrees would be,
/// - a step that is longer than the duration,
/// - no body that forces move.
std::vector<std::string> implausible(const Scene& scene);

/// Tells once when a step ended with two bodies deep in each other: by more than a tenth of the smaller shape's size
/// (half the diagonal of its box).
class DeepOverlapWatch {
 public:
  explicit DeepOverlapWatch(const Model& model);

  /// After each step. The gaps of contacts are those at its start, where the step before ended; those before the first
  /// step that is seen were there at the start of the run.
  std::optional<std::string> see(const Model& model, const State& state, std::span<const ContactRecord> contacts);

 private:
  std::vector<double> sizes_;  ///< m, of every shape, counted over all bodies as contact keys count them
  bool started_ = false;
  bool told_ = false;
};

}  // namespace cardhouse
