// What a step tries when its contact problem is not solved: one table, the same for every solver, within one budget for
// the whole step (docs/contact-model.md). A scheme asks for an answer; what follows here never asks which solver
// failed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct Contact;
struct Island;
struct IslandSolve;
struct Model;
struct StepSettings;

enum class Rescue { relaxed_overlaps, unrounded_gaps, parts, closed_hairlines };
inline constexpr std::size_t rescue_count = 4;

/// What a rescue of one island reads.
struct RescueInput {
  const StepSettings& settings;
  const Model& model;
  std::span<const Contact> contacts;
  const Island& island;
};

struct RescueRow {
  Rescue rescue;
  std::string_view name;
  std::string_view when;
  std::string_view what;
  // Of an island; none where the whole step is rescued (split_step.h):
  bool (*needed)(const StepSettings& settings, const IslandSolve& s) = nullptr;
  /// Whether it helped; nothing where there was nothing to try. In vain, it leaves s as it was but for its counts.
  std::optional<bool> (*attempt)(const RescueInput& in, IslandSolve& s) = nullptr;
};

/// In the order in which they are tried.
std::span<const RescueRow, rescue_count> rescue_table();

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
  int in_vain() const {
    int sum = 0;
    for (const RescueTally& tally : tallies_) sum += tally.tried - tally.helped;
    return sum;
  }

 private:
  std::array<RescueTally, rescue_count> tallies_;
};

/// Of an island in one pass over a step: what may be tried. A step that may still be taken in parts keeps the last
/// rescue for later; a part does not repeat what did not help the whole.
struct RescuePass {
  std::array<bool, rescue_count> allowed = {true, true, true, true};
  /// A step that may still be taken in parts does not spend on a solve what all parts together cost.
  Effort effort = Effort::thorough;
  /// Attempts in vain that are left of the step's budget (StepSettings::max_rescues). It is the same for all islands of
  /// a pass, so that what one may try does not depend on when another is solved.
  int budget = 0;

  bool allows(Rescue rescue) const { return allowed[static_cast<std::size_t>(rescue)]; }
  RescuePass without(Rescue rescue) const {
    RescuePass less = *this;
    less.allowed[static_cast<std::size_t>(rescue)] = false;
    return less;
  }
};

/// Goes through the table for an island, until its answer is certified, as far as the pass allows.
void rescue_island(const RescueInput& in, const RescuePass& pass, IslandSolve& s);

}  // namespace cardhouse
