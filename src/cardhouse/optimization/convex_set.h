// Small convex sets and the projection onto them with its derivative: what a projected or Newton-type method needs to
// know of a constraint. Projections are Euclidean, so that their derivatives are symmetric with eigenvalues in [0, 1].
#pragma once

#include <limits>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// A set of dimension up to 3 (free, interval, origin, cone), up to 2 (disk), 2 (ellipse, polygon) or 3 (polygonal
/// cone). A cone's axis is its first coordinate.
struct ConvexSet {
  enum class Kind {
    free,      ///< the whole space
    interval,  ///< lower ≤ x_i ≤ upper for each component; lower = 0, upper = ∞ is the half-line
    origin,    ///< {0}
    disk,      ///< ‖x‖ ≤ radius; dimension 1: |x| ≤ radius
    ellipse,   ///< (x_1/radius)² + (x_2/radius_cross)² ≤ 1
    polygon,   ///< hull of `sides` points on the circle of `radius`, the first at (radius, 0); dimension 2
    cone,  ///< x_0 ≥ 0 and (x_1, x_2) in x_0 times the ellipse; dimension 2: |x_1| ≤ radius x_0; 1: the half-line
    polygonal_cone,  ///< x_0 ≥ 0 and (x_1, x_2) in x_0 times the polygon
  };
  Kind kind = Kind::free;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double radius = 0.0;
  double radius_cross = 0.0;
  int sides = 0;

  static ConvexSet half_line() { return {Kind::interval, 0.0}; }
};

/// p = the point of the set nearest to z (both of length dim).
void project(const ConvexSet& set, int dim, const double* z, double* p);

/// The same, with an element of the projection's generalised derivative in the upper left dim × dim part.
void project(const ConvexSet& set, int dim, const double* z, double* p, Mat3& derivative);

/// The directions along which the set has no end.
ConvexSet recession_cone(const ConvexSet& set);

/// max of d · x over the set: how much a linear function can gain. Infinite for an unbounded set.
double support(const ConvexSet& set, int dim, const double* d);

}  // namespace cardhouse
