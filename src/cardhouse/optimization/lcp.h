// Linear complementarity problems (Cottle, Pang & Stone 1992): find z with
//
//     w = M z + q,   0 ≤ w ⊥ z ≥ 0,
//
// and their mixed form, in which some of the unknowns are free and their rows are equations, w_i = 0.
#pragma once

#include <utility>
#include <vector>

#include "cardhouse/math/decompositions.h"
#include "cardhouse/math/sparse.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

/// M is sparse: that of a pile has a few hundred entries in a row, however large the pile.
struct Lcp {
  SparseColumns m;
  VecX q;

  Lcp() = default;
  Lcp(const SparseColumns& matrix, VecX vector) : m(matrix), q(std::move(vector)) {}
  Lcp(const MatX& dense, VecX vector) : m(dense.sparseView()), q(std::move(vector)) {}

  int size() const { return static_cast<int>(q.size()); }
};

/// max_i |min(w_i, z_i)|: 0 just for solutions.
double lcp_error(const Lcp& lcp, const VecX& z);

/// zᵀ(M z + q), and its gradient (M + Mᵀ) z + q if wanted. Over {z ≥ 0, M z + q ≥ 0} its global minima with value 0
/// are the solutions.
double complementarity_gap(const Lcp& lcp, const VecX& z, VecX* gradient = nullptr);

struct MixedLcp {
  Lcp lcp;
  std::vector<int> free;  ///< unknowns without a sign, whose rows are equations; increasing
};

/// Takes the free unknowns out of a mixed problem, z_F = −M_FF⁺ (q_F + M_FC z_C). M_FF may be singular, as with joints
/// that hold a body twice, as long as its range holds the columns of M_FC; of a positive semidefinite M it always does.
/// M_FF is factorised as a dense matrix.
class FreeElimination {
 public:
  explicit FreeElimination(const MixedLcp& mixed);

  /// The problem of the unknowns that have a sign.
  const Lcp& reduced() const { return reduced_; }
  /// All the unknowns for those of the reduced problem.
  VecX expand(const VecX& z) const;
  /// The same for a direction instead of a point.
  VecX expand_direction(const VecX& z) const;
  /// All the unknowns' part that the reduced problem has.
  VecX restrict_to_signed(const VecX& all) const { return all(signed_); }

  /// The part of q_F that no free unknowns can reach: a combination of equations that contradict each other. 0
  /// elsewhere.
  const VecX& contradiction() const { return contradiction_; }
  bool contradictory() const { return contradictory_; }
  /// False when M_FF's range does not hold M_FC: then the reduced problem is another one.
  bool equivalent() const { return equivalent_; }

 private:
  VecX join(const VecX& z, const VecX& free) const;

  std::vector<int> free_, signed_;
  Lcp reduced_;
  MatX free_block_;         ///< M_FF
  SparseColumns coupling_;  ///< M_FC
  VecX free_q_;
  PseudoInverse inverse_;  ///< of M_FF
  VecX contradiction_;
  bool contradictory_ = false, equivalent_ = true;
};

}  // namespace cardhouse
