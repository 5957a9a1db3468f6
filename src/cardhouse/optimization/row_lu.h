// Sparse LU of I + Θ W over the rows of a given W: Θ block-diagonal with one block per group of rows and, where a group
// follows another one, a block between the two; W sparse; neither necessarily symmetric. The pattern and the
// elimination order are analysed once per W.
#pragma once

#include <Eigen/SparseLU>
#include <span>
#include <vector>

#include "cardhouse/math/block_rows.h"
#include "cardhouse/math/sparse.h"

namespace cardhouse {

class RowLu {
 public:
  /// `groups` holds only the groups' rows. Both must outlive the solves. `leader`: of each group the one that it
  /// follows, −1 for none; empty when there are none.
  void set_matrix(const SparseRows& w, const BlockRows& groups, std::span<const int> leader = {});
  /// theta[g] is Θ's block for group g, in its upper left dim × dim part; cross[g], where leader[g] ≥ 0, that in the
  /// rows of g and the columns of its leader. False when the matrix is singular.
  bool factorise(std::span<const Mat3> theta, std::span<const Mat3> cross = {});
  /// x = (I + Θ W)⁻¹ y.
  void solve(const VecX& y, VecX& x);

 private:
  using Columns = Eigen::SparseMatrix<double>;

  void lay_out();
  /// visit(row i of group g, Θ(i, k), entry of W in row k): every product that the matrix is the sum of, in a fixed
  /// order. theta and cross may be null while only the places count.
  template <typename Visit>
  void for_each_product(const Mat3* theta, const Mat3* cross, Visit visit) const;

  const SparseRows* w_ = nullptr;
  const BlockRows* groups_ = nullptr;
  std::vector<int> leader_;
  Columns matrix_;
  /// Where each product goes; each row's diagonal.
  std::vector<int> targets_, diagonal_;
  Eigen::SparseLU<Columns> lu_;
};

}  // namespace cardhouse
