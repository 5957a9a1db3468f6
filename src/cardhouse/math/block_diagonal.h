#pragma once

#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// A block-diagonal, symmetric positive definite matrix with its inverse: one dense block per body. Blocks are small
/// and well conditioned (masses and inertias), so that the explicit inverse loses no digits worth a triangular solve.
class BlockDiagonal {
 public:
  using Block = Eigen::Map<const MatX>;

  void clear();
  void reserve(int blocks, int entries);
  /// Appends a block and returns its index. The block must be symmetric positive definite.
  int add(const Eigen::Ref<const MatX>& block);
  /// Appends a block whose inverse is known.
  int add(const Eigen::Ref<const MatX>& block, const Eigen::Ref<const MatX>& inverse);

  int blocks() const { return static_cast<int>(size_.size()); }
  int rows() const { return rows_; }
  int size(int i) const { return size_[i]; }
  int offset(int i) const { return offset_[i]; }
  Block block(int i) const { return Block(value_.data() + data_[i], size_[i], size_[i]); }
  Block inverse(int i) const { return Block(inverse_.data() + data_[i], size_[i], size_[i]); }

  /// y = A x and y = A⁻¹ x; x and y must not be the same.
  void multiply(const VecX& x, VecX& y) const { apply(value_, x, y); }
  void solve(const VecX& x, VecX& y) const { apply(inverse_, x, y); }
  /// xᵀ A⁻¹ x: the square of the kinetic metric's norm of an impulse.
  double inverse_norm_squared(const VecX& x) const;

 private:
  void apply(const std::vector<double>& blocks, const VecX& x, VecX& y) const;

  int rows_ = 0;
  std::vector<int> size_, offset_, data_;
  std::vector<double> value_, inverse_;
};

}  // namespace cardhouse
