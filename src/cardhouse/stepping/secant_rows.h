// Normal rows that follow the surfaces of bodies that turn (docs/contact-model.md).
//
// A row n·v + gap/h ≥ 0 is the gap's tangent at the start of the step. Of an ellipse, of a coin on its rim, of a disk
// that rolls off its centre, of two polygons that turn against each other the gap bends below its tangent: bodies sink
// in by the square of what they turn in the step, are pushed out in the next one, and gain energy. The secant does not:
// with rows n̄ for which
//
//     h n̄·v = gap(q + h v) − gap(q)
//
// (a discrete gradient of the gap, Gonzalez 1996) bodies end the step touching, and of
//
//     ΔE = v·J̄ᵀr − ½ (v − v⁻)·M (v − v⁻),        v·J̄ᵀr ≤ −r_N gap/h
//
// nothing is positive where the step began without overlap. The second term stays, and drains what rolls or rocks; the
// tangent's gain makes up for most of it. So secants are for those who need no overlap or no gain.
//
// The contact keeps its normal and moves along the tangent n × w across which the bodies turn on each other, no farther
// than they roll on it in the step, so that both are pushed along one line and no momentum is lost. n̄ depends on v:
// solve, move the contacts, solve again. Every solve is certified for its rows; the error of n̄ falls by the angle
// turned in a step each time.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/stepping/detect.h"

namespace cardhouse {

/// Solves after which rows are left as they are: fast bodies that meet edge to edge may not settle.
inline constexpr int most_secant_solves = 8;

/// Moves the contacts whose gap at the end of the step is below what their row sees. `end` is the
/// state there, with the twists that the last solve found; `offsets` how far contacts are moved already, and then (m;
/// empty: not at all). Whether any was moved.
bool follow_surfaces(const State& start, const State& end, std::span<const Twist> twists, double h, const Model& model,
                     Detector& detector, std::vector<Contact>& contacts, std::vector<Vec3>& offsets);

}  // namespace cardhouse
