#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Two features whose separations differ by less than this, relative to the smaller body's size, may both give a
/// contact its points and their names: a fixed preference decides. Standing structures are full of exact ties (flush
/// blocks, edge on edge, cards beside each other), and poses that jitter by 1e-9…1e-8 of the size must not break them
/// this way now and that way at the next step. 1e-6 lies a hundredfold above. Gap and normal do not depend on it: they
/// are those of the exact distance, whichever features the points are named after.
inline constexpr double kTieTolerance = 1e-6;

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
