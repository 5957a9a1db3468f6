#pragma once

#include <vector>

#include "cardhouse/collision/feature.h"
#include "cardhouse/geometry/shape.h"

namespace cardhouse {

/// One point of a contact manifold between geometries a and b, in the world frame.
struct ManifoldPoint {
  Vec3 on_a = Vec3::Zero();    ///< the point on the surface of a
  Vec3 on_b = Vec3::Zero();    ///< the point on the surface of b; on_a − on_b = gap · normal
  Vec3 normal = Vec3::Zero();  ///< unit, from b to a
  double gap = 0.0;            ///< m, positive when apart, negative when they overlap
  FeatureId feature = 0;       ///< which features touch; the same number at the next step while they do
};

/// Appends to `manifold` the points where a and b, placed in the world, are closer than `margin`. Points come in an
/// order, and with features, that stay the same while the same features touch. No state is kept between calls.
/// Throws InputError for a pair that cannot touch (a spatial solid and a planar figure).
void collide(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
             std::vector<ManifoldPoint>& manifold);

}  // namespace cardhouse
