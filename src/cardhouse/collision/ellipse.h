#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

/// An ellipse placed in a plane: x = centre + rotation · (semi_axes[0] cos t, semi_axes[1] sin t).
struct PlacedEllipse {
  Vec2 semi_axes = Vec2::Ones();     ///< m, both > 0
  Mat2 rotation = Mat2::Identity();  ///< from the ellipse's axes to the plane's
  Vec2 centre = Vec2::Zero();

  /// How far the ellipse reaches from its centre along the unit vector `direction` (m).
  double reach(const Vec2& direction) const;

  /// The boundary point that is farthest along `direction`.
  Vec2 support(const Vec2& direction) const;
};

struct EllipseFoot {
  Vec2 point = Vec2::Zero();   ///< on the ellipse
  Vec2 normal = Vec2::Zero();  ///< unit, outward, at `point`
  double distance = 0.0;       ///< m, negative inside; p = point + distance · normal
};

/// The point of the ellipse that is closest to p, for p outside or inside, to round-off.
EllipseFoot closest_on_ellipse(const PlacedEllipse& ellipse, const Vec2& p);

/// The direction along which two ellipses are farthest apart or, when they overlap, overlap least.
struct EllipseSeparation {
  Vec2 normal = Vec2::Zero();  ///< unit, from b to a
  double gap = 0.0;            ///< m, negative when they overlap
};

EllipseSeparation separate_ellipses(const PlacedEllipse& a, const PlacedEllipse& b);

}  // namespace cardhouse
