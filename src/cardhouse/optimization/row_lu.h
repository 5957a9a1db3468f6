// Sparse LU of I + Θ W over the rows of a given W: Θ block-diagonal with one block per group of rows, W sparse, neither
// necessarily symmetric. The pattern and the elimination order are analysed once per W.
#pragma once

#include <Eigen/SparseLU>
#include <span>
#include <vector>

#include "cardhouse/math/block_rows.h"
#include "cardhouse/math/sparse.h"

namespace cardhouse {

class RowLu {
 public:
  /// `groups` holds only the groups' rows. Both must outlive the solves.
  void set_matrix(const SparseRows& w, const BlockRows& groups);
  /// theta[g] is Θ's block for group g, in its upper left dim × dim part. False when the matrix is singular.
  bool factorise(std::span<const Mat3> theta);
  /// x = (I + Θ W)⁻¹ y.
  void solve(const VecX& y, VecX& x);

 private:
  using Columns = Eigen::SparseMatrix<double>;

  void lay_out();

  const SparseRows* w_ = nullptr;
  const BlockRows* groups_ = nullptr;
  Columns matrix_;
  /// For each entry of W in turn, where its products with the rows of its group go; then each row's diagonal.
  std::vector<int> targets_, diagonal_;
  Eigen::SparseLU<Columns> lu_;
};

}  // namespace cardhouse
