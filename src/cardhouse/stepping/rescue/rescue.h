// What a step tries when its contact problem is not solved: one table, the same for every solver, within one budget for
// the whole step (docs/contact-model.md). A scheme asks for an answer; what follows here never asks which solver
// failed.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace cardhouse {

enum class Rescue { relaxed_overlaps, unrounded_gaps, parts, closed_hairlines };

struct RescueRow {
  Rescue rescue;
  std::string_view name;
  std::string_view when;
  std::string_view what;
};

/// In the order in which they are tried.
inline constexpr std::array<RescueRow, 4> rescue_table = {{
    {Rescue::relaxed_overlaps, "relaxed overlaps", "rows contradict each other",
     "overlaps are removed only as far as they agree (overlap_relaxation.h)"},
    {Rescue::unrounded_gaps, "unrounded gaps", "an island is hard",
     "solved with its gaps unrounded, and from there as it is (island_solve.h)"},
    {Rescue::parts, "parts", "the step is hard",
     "taken again in up to 32 parts, each certified; the shortest may close hairline gaps (split_step.h)"},
    {Rescue::closed_hairlines, "closed hairlines", "parts are hard too",
     "gaps of up to 1e-5 of a body's size are taken for closed (hairline_gaps.h)"},
}};

struct RescueTally {
  int tried = 0;
  int helped = 0;  ///< the answer was certified
};

/// What was tried in a step.
class RescueCounts {
 public:
  void count(Rescue rescue, bool helped) {
    RescueTally& tally = tallies_[static_cast<std::size_t>(rescue)];
    ++tally.tried;
    tally.helped += helped ? 1 : 0;
  }
  void add(const RescueCounts& other) {
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      tallies_[i].tried += other.tallies_[i].tried;
      tallies_[i].helped += other.tallies_[i].helped;
    }
  }
  const RescueTally& of(Rescue rescue) const { return tallies_[static_cast<std::size_t>(rescue)]; }

 private:
  std::array<RescueTally, rescue_table.size()> tallies_;
};

/// Of an island in one pass over a step: what may be tried. A step that may still be taken in parts keeps the last
/// rescue for later; a part does not repeat what did not help the whole.
struct RescuePass {
  bool unrounded_gaps = true;
  bool closed_hairlines = true;
};

}  // namespace cardhouse
