// The laws made smooth: what an interior-point method solves on its way to the exact law.
//
// Coulomb's law is complementarity over a cone once friction is seen as de Saxcé & Feng did (1998): with the matrix T
// that makes the cone of a contact the round one, L = {‖y_T‖ ≤ y_N},
//
//     y = T r/√rho ∈ L,   w = √rho T⁻¹ (u + mu ‖u_T‖ n) ∈ L,   y · w = 0.
//
// Its central path y ∘ w = ε² (Jordan product) is, without any need to stay inside the cones, the root of
//
//     E = y − P_ε(y − w),     P_ε: eigenvalues λ of the argument replaced by (λ + √(λ² + 4 ε²))/2
//
// (Fukushima, Luo & Tseng 2002); P_0 is the projection onto L. The length ‖u_T‖ is smoothed to √(‖u_T‖² + δ²) − δ. Rows
// without friction are the same in one dimension.
//
// A dependent law is friction in a disk whose radius R is set from outside. The projection onto it shortens z to
// min(‖z‖, R), smoothed to (√((‖z‖ + R)² + 4 ε²) − √((‖z‖ − R)² + 4 ε²))/2: odd in ‖z‖, so that it is smooth at 0 too,
// and for one row the same as the formula above at the two bounds ±R.
//
// Polygons have no Jordan product. There the law is taken as it is projected: the normal row alone, then friction in
// the polygon of the size that the normal row leaves, on the central path of that projection
// (optimization/central_projection.h).
//
// Relaxed, w is √rho T⁻¹ u: the optimality conditions of the cone program (Anitescu 2006, Eq. 5.5), which differ from
// Coulomb's law by mu ‖u_T‖ alone. On polygons normal and friction impulse are then projected together
// (optimization/central_cone.h; Anitescu 2006, Eq. 5.3).
//
// Where W is singular so is the Newton system at ε → 0. A proximal term makes it regular: w also gets κ (y − y_k),
// which vanishes when the centre r_k stops moving.
#pragma once

#include "cardhouse/laws/law.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

struct Smoothing {
  double epsilon = 0.0;   ///< √J: of the path
  double delta = 0.0;     ///< √J: of the sliding speed, times √rho
  double proximal = 0.0;  ///< κ (−)
  bool relaxed = false;   ///< the cone program instead of Coulomb's law
};

/// What a Newton step needs of one group of rows: dr + theta du = step + by_load dload for the rows' own changes dr and
/// du and, of a dependent law, that of its leader's normal impulse.
struct NewtonRows {
  Mat3 theta;
  Vec3 step;
  Vec3 by_load;
};

/// ‖E‖² (J) of one group with impulses r, velocities u and centre r_k; `newton`, if given, gets the linearisation.
/// Friction of a dependent law must be a disk or a polygon; its leader's normal impulse is `load`.
double smoothed_law(const Law& law, int dim, double rho, const double* r, const double* u, double load,
                    const double* center, const Smoothing& smoothing, NewtonRows* newton);

}  // namespace cardhouse
