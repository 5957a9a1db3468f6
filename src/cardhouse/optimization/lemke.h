// Lemke's complementary pivoting (Cottle, Pang & Stone 1992, section 4.4). An artificial unknown z0 with a covering
// vector d > 0,
//
//     w = M z + q + d z0,   0 ≤ w ⊥ z ≥ 0,   z0 ≥ 0,
//
// makes the problem solvable; pivots along the path of its almost complementary solutions drive z0 out. The path ends
// at a solution (z0 = 0) or runs off along a ray. Ties of B⁻¹q are broken by B⁻¹p with a vector p that has no relation
// between its entries: the path is that of q + ε p for all small ε > 0, which is never degenerate (the lexicographic
// rule takes all of B⁻¹ in place of one p, which would need the inverse). So no basis comes twice, but for round-off:
// then another covering vector is tried.
//
// Precision: basic values are updated from pivot to pivot. Every few pivots B x = q is checked. Where x is off by so
// much that ties are no longer reliable, the basis is factorised anew. If a path ends without a solution in a basis
// whose values are still off by more than a solution may be, it has lost its digits and is not called a ray.
#pragma once

#include <functional>

#include "cardhouse/optimization/lcp.h"

namespace cardhouse {

struct LemkeOptions {
  int max_pivots = 10000;
  /// Rays, lost digits and returning paths depend on d; at most this many vectors are tried,
  int covering_vectors = 8;
  /// and no more after so many rays.
  int rays = 3;
  /// Pivots after which the basis is factorised anew, at the latest; between, exchanges are kept (product form).
  int refactorise_every = 50;
  /// Asked before every pivot; true ends the solve. None: never.
  std::function<bool()> stop;
};

enum class LemkeStatus {
  solved,
  ray,              ///< every covering vector's path ran off to infinity; this alone proves nothing
  iteration_limit,  ///< pivots
  stopped,          ///< by `stop`
  lost_digits,      ///< the last path ended in a basis so ill conditioned that a new factorisation did not help
  came_back,        ///< the last path came to a basis for the second time
  failed,           ///< data that are not finite
};

struct LemkeResult {
  LemkeStatus status = LemkeStatus::failed;
  VecX z;    ///< of the final basis, solved anew; empty unless solved
  VecX ray;  ///< the direction in z of the last path's end, largest entry 1; empty unless ray
  int pivots = 0;
  int factorisations = 0;
  /// ‖B x − q‖∞ over ‖q‖∞ of the basis factorised last, or the error of the solution it stood for; infinite: singular.
  double residual = 0.0;
};

/// Of piles, whose M is sparse, a pivot costs far less than n². Rows and columns should be scaled so that M's
/// entries are near 1.
LemkeResult solve_lemke(const Lcp& lcp, const LemkeOptions& options = {});

}  // namespace cardhouse
