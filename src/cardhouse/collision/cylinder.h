#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Contacts of a solid cylinder with sharp rims against a sphere, box, capsule, cylinder, polytope or half-space.
/// Throws InputError for a planar figure.
void collide_cylinder(const Cylinder& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                      std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
