#pragma once

#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse {

/// Two directions or features whose separations differ by less than this, relative to the smaller body's size, are
/// equally good. Standing structures are full of exact ties (flush blocks, edge on edge), and a pose that is kept to
/// 1e-9…1e-8 of the size by the time stepping must not break them this way now and that way at the next step. 1e-6 lies
/// a hundredfold above that jitter, and far below any gap or angle that somebody would notice. Inside this band the gap
/// is measured along the chosen direction, and differs from the exact distance by at most the band; the normal of a
/// vertex that hangs over an edge by less than the band, at a height d, is off by at most band/d. Outside, gap and
/// normal are exact to round-off. Names of open contacts need the band too: cards that lie flush beside each other are
/// open.
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
