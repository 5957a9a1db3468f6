// Descriptors of contact and joint laws: plain data, no algorithm. What a law does is in contact/law_projection.h.
#pragma once

#include <limits>

namespace cardhouse {

/// The shape of the set F(r_N) of friction impulses that a contact with normal impulse r_N can give.
enum class FrictionShape {
  disk,     ///< ‖r_T‖ ≤ mu r_N (isotropic Coulomb)
  ellipse,  ///< (r_1/mu_1)² + (r_2/mu_2)² ≤ r_N²
  polygon,  ///< convex hull of `sides` points on the circle of radius mu r_N, the first on the first tangent (Eq. 5.14)
};

/// How the impulses r and velocities u of one group of rows depend on each other.
struct Law {
  enum class Kind {
    equality,    ///< u = 0
    unilateral,  ///< 0 ≤ r ⊥ u ≥ 0
    bounded,     ///< lower ≤ r ≤ upper; u = 0 in between, u ≤ 0 at the upper bound, u ≥ 0 at the lower one
    coulomb,     ///< first row unilateral, the other one or two rows friction
    dependent,   ///< one or two rows of friction, all of them, within F(r_N) of another group: rolling, torsional
  };

  Kind kind = Kind::coulomb;
  FrictionShape friction = FrictionShape::disk;
  double mu = 0.0;        ///< along the first tangent (−); of a dependent law m, as its impulses are N m s
  double mu_cross = 0.0;  ///< along the second tangent (−); equals mu unless friction is an ellipse
  int sides = 8;          ///< of the polygon; even, so that friction is the same in opposite directions
  double lower = -std::numeric_limits<double>::infinity();  ///< N s (bounded rows)
  double upper = std::numeric_limits<double>::infinity();   ///< N s (bounded rows)
  /// For a dependent law: the number of the Coulomb group whose normal impulse bounds it. Its rows act on no bodies but
  /// that group's.
  int leader = -1;
};

/// Whether the law's bound is another group's normal impulse.
inline bool is_dependent(const Law& law) {
  return law.kind == Law::Kind::dependent;
}

}  // namespace cardhouse
