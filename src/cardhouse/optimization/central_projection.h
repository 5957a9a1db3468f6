// The projection onto a regular polygon made smooth: the central path of
//
//     min ½‖x − z‖²   with   s_j = R cos(π/m) − a_j · x ≥ 0,   a_j the outward normals of the m sides,
//
// on which every side has a multiplier η_j with η_j s_j = ε². x lies inside, is smooth in z and R, and is the nearest
// point of the polygon at ε = 0 (and, for want of digits, below 1e-7 of R and z). Found by primal–dual Newton steps
// (Wright 1997, chapter 5).
#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

/// x and its derivatives in their common eigenvectors: with H = Σ (η_j/s_j) a_j a_jᵀ,
/// ∂x/∂z = (I + H)⁻¹ and ∂x/∂R = (I + H)⁻¹ by_radius.
struct CentralProjection {
  Vec2 point = Vec2::Zero();
  Mat2 axes = Mat2::Identity();      ///< columns: eigenvectors of H
  Vec2 slope = Vec2::Zero();         ///< eigenvalues of ∂x/∂z, in [0, 1]
  Vec2 complement = Vec2::Ones();    ///< 1 − slope, without cancellation
  Vec2 slope_radius = Vec2::Zero();  ///< ∂x/∂R along the axes
};

/// The polygon has `sides` corners on the circle of the radius R ≥ 0, the first at (R, 0); ε ≥ 0 in the unit of z.
CentralProjection central_projection(int sides, double radius, double epsilon, const Vec2& z);

}  // namespace cardhouse
