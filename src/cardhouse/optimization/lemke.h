// Lemke's complementary pivoting (Cottle, Pang & Stone 1992, section 4.4). An artificial unknown z0 with a covering
// vector d > 0,
//
//     w = M z + q + d z0,   0 ≤ w ⊥ z ≥ 0,   z0 ≥ 0,
//
// makes the problem solvable; pivots along the path of its almost complementary solutions drive z0 out. The path ends
// at a solution (z0 = 0) or runs off along a ray. Ties are broken lexicographically, so that no basis comes twice.
#pragma once

#include <functional>

#include "cardhouse/optimization/lcp.h"

namespace cardhouse {

struct LemkeOptions {
  int max_pivots = 10000;
  /// Rays and lost digits depend on d; this many vectors are tried.
  int covering_vectors = 3;
  /// Pivots after which the inverse of the basis is computed anew.
  int refactorise_every = 50;
  /// Asked before every pivot; true ends the solve. None: never.
  std::function<bool()> stop;
};

enum class LemkeStatus {
  solved,
  ray,              ///< every covering vector's path ran off to infinity; this alone proves nothing
  iteration_limit,  ///< pivots
  stopped,          ///< by `stop`
  failed,           ///< data that are not finite, or bases too ill conditioned
};

struct LemkeResult {
  LemkeStatus status = LemkeStatus::failed;
  VecX z;    ///< of the final basis, solved anew; empty unless solved
  VecX ray;  ///< the direction in z of the last path's end, largest entry 1; empty unless ray
  int pivots = 0;
};

/// Dense: memory n², time n² per pivot. Rows and columns should be scaled so that M's entries are near 1.
LemkeResult solve_lemke(const Lcp& lcp, const LemkeOptions& options = {});

}  // namespace cardhouse
