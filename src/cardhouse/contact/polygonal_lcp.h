// The contact problem as a linear complementarity problem (Stewart & Trinkle 1996, Anitescu & Potra 1997; Kaufman 2009,
// Eq. 5.27–5.30; with joints: Anitescu & Hart 2003, Eq. 6–7, after elimination of the velocities). Friction sets are
// polygons F(r_N) = r_N · hull(g_1 … g_m):
//
//     r_N = alpha,   r_T = Σ beta_k g_k
//     0 ≤ alpha   ⊥  u_N ≥ 0
//     0 ≤ beta_k  ⊥  g_k · u_T + lambda ≥ 0
//     0 ≤ lambda  ⊥  alpha − Σ beta_k ≥ 0
//
// The corners g_k hold mu, which the source writes as a factor of alpha. Rolling and torsional friction has betas and a
// lambda of its own, and the alpha of its leader. Bounded rows, r = lower + z:
//
//     0 ≤ z  ⊥  u + s ≥ 0,   0 ≤ s  ⊥  upper − lower − z ≥ 0
//
// with one pair only where one bound is infinite. Equality rows are free unknowns.
#pragma once

#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/optimization/lcp.h"

namespace cardhouse {

/// Unknowns y = (alpha, beta, lambda, …) group by group, scaled by √rho so that the matrix has entries near 1.
struct PolygonalLcp {
  MixedLcp mixed;
  SparseRows map;  ///< r = offset + map y
  VecX offset;
  std::vector<int> first;  ///< unknown of each group; −1: nothing moves the group's rows, or those of its leader, and
                           ///< they have no impulse
  bool exact = true;       ///< false when disks or ellipses in space became polygons
};

/// The corners g_k of F(1) of a Coulomb or dependent law: the law's own for a polygon, `disk_sides` on a disk or an
/// ellipse, two in the plane (second component 0) and on a flat ellipse, none without friction.
std::vector<Vec2> friction_corners(const Law& law, int tangents, int disk_sides);

/// The number of unknowns. Ask before building the matrix.
int polygonal_lcp_size(const ContactProblem& problem, const std::vector<double>& rho, int disk_sides);

/// rho: one per group, as the certificate's; groups with rho = 0 are left out.
PolygonalLcp polygonal_lcp(const ContactProblem& problem, const std::vector<double>& rho, int disk_sides);

inline VecX impulses_of(const PolygonalLcp& lcp, const VecX& y) {
  return lcp.offset + lcp.map * y;
}

/// The unknowns of impulses that obey the laws: friction as a sum of two neighbouring corners, multipliers from the
/// velocities that the impulses cause.
VecX unknowns_of(const ContactProblem& problem, const PolygonalLcp& lcp, const std::vector<double>& rho, int disk_sides,
                 const VecX& r);

}  // namespace cardhouse
