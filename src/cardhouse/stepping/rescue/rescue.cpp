#include "cardhouse/stepping/rescue/rescue.h"

#include "cardhouse/stepping/rescue/island_solve.h"

namespace cardhouse {
namespace {

constexpr std::array<RescueRow, rescue_count> table = {{
    {Rescue::relaxed_overlaps, "relaxed overlaps", "rows contradict each other",
     "overlaps are removed only as far as they agree (overlap_relaxation.h)", contradicts, relax_overlaps},
    {Rescue::unrounded_gaps, "unrounded gaps", "an island is hard",
     "solved with its gaps unrounded, and from there as it is (island_solve.h)", is_hard, solve_with_unrounded_gaps},
    {Rescue::parts, "parts", "the step is hard",
     "taken again in up to 32 parts, each certified; the shortest may close hairline gaps (split_step.h)"},
    {Rescue::closed_hairlines, "closed hairlines", "parts are hard too",
     "gaps of up to 1e-5 of a body's size are taken for closed (hairline_gaps.h)", is_hard,
     solve_with_hairlines_closed},
}};

}  // namespace

std::span<const RescueRow, rescue_count> rescue_table() {
  return table;
}

void rescue_island(const RescueInput& in, const RescuePass& pass, IslandSolve& s) {
  s.relaxed = {};
  s.hairlines = {};
  for (const RescueRow& row : table) {
    if (s.certificate.certified(in.settings.tolerance)) return;
    if (!row.attempt || !pass.allows(row.rescue) || s.rescues.in_vain() >= pass.budget) continue;
    if (!row.needed(in.settings, s)) continue;
    if (const std::optional<bool> helped = row.attempt(in, s)) s.rescues.count(row.rescue, *helped);
  }
}

}  // namespace cardhouse
