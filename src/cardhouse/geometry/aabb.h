#pragma once

#include "cardhouse/geometry/shape.h"

namespace cardhouse {

struct Aabb {
  Vec3 lower = Vec3::Zero();
  Vec3 upper = Vec3::Zero();

  bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
  }
};

/// The box around a geometry placed at `pose` in the world, grown by `margin` on all sides. A half-space's box is
/// infinite (±infinity) unless its normal is along an axis, where that one side is finite.
Aabb bounding_box(const Geometry& geometry, const Pose& pose, double margin);

/// The largest distance of any point of the shape from the body's origin (m); infinite for a half-space. For an ellipse
/// off the origin it is that of the circle around the ellipse, which may be a little larger.
double bounding_radius(const Shape& shape);

/// The geometry's characteristic length, for tolerances: half the diagonal of its box; 0 for a half-space.
double characteristic_size(const Geometry& geometry);

}  // namespace cardhouse
