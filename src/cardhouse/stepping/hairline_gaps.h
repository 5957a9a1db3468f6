// Gaps too fine to mean anything, in problems that nothing else solves (docs/contact-model.md).
//
// Rows n·v + gap/h ≥ 0 of a structure at rest differ by what rounding and the curvature of turning bodies left of their
// gaps: 1e-14 to 1e-9 m among cards. Where friction holds bodies at more points than they have freedoms, such rows
// cannot all be tight, and the exact answer opens or slides contacts at a speed of 1e-14 to 1e-9 m per step: impulses
// have to go all the way to the edges of their cones for it. That answer exists wherever the friction cone is pointed,
// but methods may not get there within their iterations. When all of them gave up, rows that ask for no more than a
// hairline ask for nothing, and bodies are off by a hairline until the next step, whose rows are written from its own
// gaps.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/islands.h"
#include "cardhouse/stepping/settings.h"

namespace cardhouse {

struct HairlineGaps {
  int rows = 0;          ///< that ask for nothing instead
  double largest = 0.0;  ///< m: the most that such a row asked for
};

/// The widths that are tried in turn, as parts of the smaller body's radius of gyration (−): what rounding leaves of
/// gaps, and what turning by one and by four thousandths of a radian in a step leaves, half the square of it.
inline constexpr double hairline_widths[] = {1e-8, 1e-6, 1e-5};

/// Writes what gap_shift left out as negligible into the rows that ask for a gap and nothing more: another problem, off
/// by as little, whose answer or nearly so may be within reach. Whether any row changed.
bool restore_negligible_gaps(const StepSettings& settings, std::span<const Contact> contacts, const Island& island,
                             std::vector<double>& shifts, ContactProblem& problem);

/// Takes the shifts of an island's normal rows (m/s) that are finer than `width` in a step of length h out of b, and
/// out of `shifts`. Particles don't turn: their gaps stay.
HairlineGaps close_hairlines(const Model& model, std::span<const Contact> contacts, const Island& island, double width,
                             double h, std::vector<double>& shifts, ContactProblem& problem);

}  // namespace cardhouse
