// Sparse LU of H = A + Jᵀ Θ J on the body graph, Θ one block per group of rows and, where a group follows another one,
// a block between the two: as BodyGraphCholesky, but Θ need not be symmetric (the derivative of
// an exact friction law is not). H's pattern is symmetric, so that one symbolic factorisation over bodies serves L and
// U. Pivots are whole diagonal blocks: exchanging bodies would break the pattern, and A on the diagonal makes it
// needless.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/block_rows.h"
#include "cardhouse/optimization/body_graph.h"

namespace cardhouse {

class BodyGraphLu {
 public:
  /// Does nothing when the pattern is that of the last call.
  void analyse(const BlockDiagonal& a, const BlockRows& j);

  /// theta[g] is Θ's block for group g, in its upper left dim × dim part. cross[g], where there are any and leader[g] ≥
  /// 0, is its block in the rows of g and the columns of leader[g]; g then touches no other bodies than leader[g] does.
  /// False when a pivot is singular.
  bool factorise(const BlockDiagonal& a, const BlockRows& j, std::span<const Mat3> theta,
                 std::span<const Mat3> cross = {}, std::span<const int> leader = {});

  /// x = H⁻¹ y.
  void solve(const VecX& y, VecX& x);

 private:
  /// A block below the diagonal of column `column` and, transposed in meaning, its mirror right of it.
  struct Slot {
    int row = 0;    ///< body, by its place in the elimination order
    int value = 0;  ///< into lower_ (row × column block) and upper_ (column × row block)
  };

  void lay_out_diagonal(const BlockDiagonal& a);
  void find_fill(const BlockRows& j);
  const Slot* find_slot(int column, int row) const;
  /// H += J_leftᵀ weight J_right for two groups.
  void add_product(const BlockRows& j, int left, const Mat3& weight, int right);
  bool eliminate(int k);

  BodyGraph graph_;
  std::vector<int> size_, offset_;       ///< by place: dofs, and the first in the caller's vectors
  std::vector<int> first_slot_;          ///< by place, one past the end in the last entry
  std::vector<Slot> slots_;              ///< by column, rows ascending
  std::vector<int> diagonal_;            ///< by place: into pivots_
  std::vector<double> pivots_;           ///< diagonal blocks, then their inverses
  std::vector<double> lower_, upper_;    ///< L and U off the diagonal; column-major blocks
  std::vector<std::vector<int>> below_;  ///< scratch of the symbolic factorisation
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, Eigen::Dynamic> weighted_;  ///< Θ J
  VecX work_;
};

}  // namespace cardhouse
