#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Contacts between two figures of the world's x–z plane: disk, ellipse, polygon, segment, and half-space with its
/// normal in the plane. Poses turn about +y only. Points of the manifold lie in the plane y = y of a figure's pose.
///
/// The side of a segment that another figure touches is the one where that figure's centre is (its origin for disk and
/// ellipse, the mean of its vertices for polygon and segment).
///
/// Throws InputError for a half-space whose world normal leaves the plane, and for a geometry that is not planar.
void collide_planar(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                    std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
