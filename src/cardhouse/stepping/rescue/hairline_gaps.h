// Hairline gaps: gaps so small that they mean nothing, closed in problems that nothing else solves
// (docs/contact-model.md).
//
// Rows n·v + gap/h ≥ 0 of a structure at rest differ by what rounding and the curvature of turning bodies leave in
// their gaps: 1e-14 to 1e-9 m among cards. Where friction holds bodies at more points than they have degrees of
// freedom, such rows cannot all be tight. The exact answer opens or slides contacts by 1e-14 to 1e-9 m per step, and
// impulses must reach the edges of their cones for it. That answer exists wherever the friction cone is pointed, but
// the methods may not reach it within their iterations. When all of them gave up, the bias of such rows is set to 0.
// Bodies are then off by a hairline until the next step, whose rows are written from its own gaps.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/model/model.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

struct HairlineGaps {
  int rows = 0;          ///< whose bias was set to 0
  double largest = 0.0;  ///< m: the largest gap or overlap among them
};

/// The widths that are tried in turn, as fractions of the smaller body's radius of gyration (−): what rounding leaves
/// in gaps, then what turning by one and by four thousandths of a radian in a step leaves (half its square).
inline constexpr double hairline_widths[] = {1e-8, 1e-6, 1e-5};

/// Undoes gap rounding in rows that hold only a gap. The problem changes by as little, and its answer may be easier to
/// reach. Returns whether any row changed.
bool restore_rounded_gaps(const StepSettings& settings, std::span<const Contact> contacts, const Island& island,
                          std::vector<double>& biases, ContactProblem& problem);

/// Sets the biases of an island's normal rows (m/s) to 0, in b and in `biases`, where they ask for less than `width` in
/// a step of length h. Particles do not turn: their gaps stay.
HairlineGaps close_hairlines(const Model& model, std::span<const Contact> contacts, const Island& island, double width,
                             double h, std::vector<double>& biases, ContactProblem& problem);

}  // namespace cardhouse
