#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Contacts among boxes, capsules and polytopes.
void collide_polytopes(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                       std::vector<ManifoldPoint>& manifold);

/// A sphere (a) against a sphere, box, capsule or polytope: one point.
void collide_sphere(const Sphere& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                    std::vector<ManifoldPoint>& manifold);

/// A sphere, box, capsule or polytope (a) against a half-space: every vertex of the core within the margin.
void collide_with_half_space(const Geometry& a, const Pose& pose_a, const HalfSpace& b, const Pose& pose_b,
                             double margin, std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
