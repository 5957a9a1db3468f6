#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Contacts of a solid cylinder with sharp rims against a sphere, box, capsule, cylinder, polytope or half-space.
/// A cap carries load on rim points at fixed azimuths of the cylinder, a generator on the two ends of the common
/// length. Features of one manifold are distinct; directions that separate equally well to 1e-6 of the size are decided
/// by rank (faces of b, caps, the rest). Throws InputError for a planar figure.
void collide_cylinder(const Cylinder& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                      std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
