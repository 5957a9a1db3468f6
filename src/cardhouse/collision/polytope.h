#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Contacts among boxes, capsules and polytopes.
void collide_polytopes(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                       std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
