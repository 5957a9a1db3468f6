// Sparse Cholesky of H = A + Jᵀ Θ J on the body graph: A block-diagonal, J block-sparse, Θ block-diagonal and positive
// semidefinite with one block per group of rows. H has one block row per body, however many contacts there are. Its
// pattern and elimination order (approximate minimum degree over bodies) are analysed once and kept while the same
// bodies touch.
#pragma once

#include <Eigen/SparseCholesky>
#include <span>
#include <vector>

#include "cardhouse/math/block_rows.h"
#include "cardhouse/optimization/body_graph.h"

namespace cardhouse {

class BodyGraphCholesky {
 public:
  /// Does nothing when the pattern is that of the last call.
  void analyse(const BlockDiagonal& a, const BlockRows& j);

  /// theta[g] is Θ's block for group g, in its upper left dim × dim part. False when H is not positive definite.
  bool factorise(const BlockDiagonal& a, const BlockRows& j, std::span<const Mat3> theta);

  /// x = H⁻¹ y.
  void solve(const VecX& y, VecX& x);

 private:
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

  struct Target {   ///< where the product of two entries of a group goes
    int first = 0;  ///< entry whose body comes first in the elimination order (rows of the block)
    int second = 0;
    int value = 0;   ///< of the block's first element
    int stride = 0;  ///< from column to column
  };

  void lay_out(const BlockDiagonal& a, const BlockRows& j);

  BodyGraph graph_;
  std::vector<int> size_, offset_;    ///< of a body's dofs in the caller's vectors
  std::vector<int> permuted_offset_;  ///< first row of a body in H
  std::vector<int> diagonal_value_, diagonal_stride_;
  std::vector<Target> targets_;
  std::vector<int> first_target_;  ///< per group, one past the end in the last entry
  Sparse h_;
  Eigen::SimplicialLLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> cholesky_;
  VecX permuted_;
};

}  // namespace cardhouse
