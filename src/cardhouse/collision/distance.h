#pragma once

#include <optional>

#include "cardhouse/collision/core.h"
#include "cardhouse/collision/feature.h"
#include "cardhouse/collision/separation.h"

namespace cardhouse {

/// A pair of closest points of two cores, and the features they lie on.
struct ClosestPoints {
  Vec3 on_a = Vec3::Zero();
  Vec3 on_b = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  ///< unit, from b to a
  double distance = 0.0;       ///< negative only for a point inside a core
  Feature feature_a;
  Feature feature_b;
};

/// The closest points of two cores that do not overlap, if they are within `reach`: exact, by comparing all pairs of
/// features that the lower bound `separation` does not rule out.
std::optional<ClosestPoints> closest_points(const Core& a, const Core& b, const Separation& separation, double reach);

/// The point a against the core b: the closest point of b's surface, with a negative distance when the point is inside.
ClosestPoints closest_to_point(const Vec3& a, const Core& b);

}  // namespace cardhouse
