#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// A sphere (a) against a sphere, box, capsule or polytope: one point.
void collide_sphere(const Sphere& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                    std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
