// The projection onto a cone over a regular polygon made smooth: the central path of
//
//     min ½‖x − z‖²   with   s_j = g_j · x ≥ 0,   g_j = (mu cos(π/m), −a_j),   a_j the outward normals of the m sides,
//
// on which every side has a multiplier η_j with η_j s_j = ε². The sibling of central_projection.h for friction and
// normal impulse together. With H = Σ (η_j/s_j) g_j g_jᵀ its derivative is ∂x/∂z = (I + H)⁻¹; a Newton method that
// divides by I − ∂x/∂z, made regular by a proximal weight κ, needs
//
//     gain = ∂x/∂z (I − ∂x/∂z + κ ∂x/∂z)⁻¹ = (H + κ I)⁻¹,
//
// in which nothing cancels however stiff the sides are.
#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

struct CentralCone {
  Vec3 point = Vec3::Zero();  ///< x
  Mat3 gain = Mat3::Zero();   ///< (H + κ I)⁻¹
};

/// The cone {x_0 ≥ 0, (x_1, x_2) in x_0 times the polygon with `sides` corners on the circle of radius mu > 0, the
/// first at (mu, 0)}; ε ≥ 0 in the unit of z. At ε = 0 (and, for want of digits, below 1e-7 of z) x is the nearest
/// point of the cone, and κ must be positive.
CentralCone central_cone(int sides, double mu, double epsilon, double proximal, const Vec3& z);

}  // namespace cardhouse
