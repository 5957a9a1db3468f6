#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// A sphere, box, capsule or polytope (a) against a half-space: every vertex of the core within the margin.
void collide_with_half_space(const Geometry& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                             double margin, std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
