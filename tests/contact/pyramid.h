// The hexagonal pyramid of Anitescu & Hart 2003, section 3: an example whose complementarity problem has a solution set
// that is not convex, however small the friction.
#pragma once

#include <numbers>

#include "contact/small_problems.h"

namespace cardhouse::testing {

/// A body at rest on the six corners of a regular hexagon, under gravity for one step.
inline ContactProblem hexagonal_pyramid(double mu) {
  ProblemBuilder builder;
  builder.rigid(1.0, 0.1, Vec3(0, 0, -9.81e-3));
  for (int corner = 0; corner < 6; ++corner) {
    const double angle = corner * std::numbers::pi / 3.0;
    const Vec3 arm(0.5 * std::cos(angle), 0.5 * std::sin(angle), -0.3);
    builder.rows(polygonal(mu), {{0, ProblemBuilder::rigid_rows(frame_of(Vec3::UnitZ()), arm)}}, VecX::Zero(3));
  }
  return builder.problem;
}

/// The weight on every other corner, from the first or the second on.
inline VecX on_three_corners(int first) {
  VecX r = VecX::Zero(18);
  for (int corner = first; corner < 6; corner += 2) r[3 * corner] = 9.81e-3 / 3.0;
  return r;
}

}  // namespace cardhouse::testing
