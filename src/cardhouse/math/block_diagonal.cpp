#include "cardhouse/math/block_diagonal.h"

#include <cassert>

#include "cardhouse/math/decompositions.h"

namespace cardhouse {
namespace {

/// y = M x for a column-major n×n block; n = 6 and 3 are the common sizes and get unrolled.
template <int n>
void multiply_fixed(const double* m, const double* x, double* y) {
  using Matrix = Eigen::Matrix<double, n, n>;
  using Vector = Eigen::Matrix<double, n, 1>;
  Eigen::Map<Vector>(y).noalias() = Eigen::Map<const Matrix>(m) * Eigen::Map<const Vector>(x);
}

void multiply_block(int n, const double* m, const double* x, double* y) {
  switch (n) {
    case 6:
      return multiply_fixed<6>(m, x, y);
    case 3:
      return multiply_fixed<3>(m, x, y);
    default:
      Eigen::Map<VecX>(y, n).noalias() = Eigen::Map<const MatX>(m, n, n) * Eigen::Map<const VecX>(x, n);
  }
}

}  // namespace

void BlockDiagonal::clear() {
  rows_ = 0;
  size_.clear();
  offset_.clear();
  data_.clear();
  value_.clear();
  inverse_.clear();
}

void BlockDiagonal::reserve(int blocks, int entries) {
  size_.reserve(blocks);
  offset_.reserve(blocks);
  data_.reserve(blocks);
  value_.reserve(entries);
  inverse_.reserve(entries);
}

int BlockDiagonal::add(const Eigen::Ref<const MatX>& block) {
  return add(block, Cholesky(block).inverse());
}

int BlockDiagonal::add(const Eigen::Ref<const MatX>& block, const Eigen::Ref<const MatX>& inverse) {
  assert(block.rows() == block.cols() && inverse.rows() == block.rows());
  const int n = static_cast<int>(block.rows());
  const std::size_t start = value_.size();
  size_.push_back(n);
  offset_.push_back(rows_);
  data_.push_back(static_cast<int>(start));
  value_.resize(start + static_cast<std::size_t>(n * n));
  inverse_.resize(value_.size());
  Eigen::Map<MatX>(value_.data() + start, n, n) = block;
  Eigen::Map<MatX>(inverse_.data() + start, n, n) = inverse;
  rows_ += n;
  return blocks() - 1;
}

void BlockDiagonal::apply(const std::vector<double>& blocks, const VecX& x, VecX& y) const {
  y.resize(rows_);
  for (std::size_t i = 0; i < size_.size(); ++i) {
    multiply_block(size_[i], blocks.data() + data_[i], x.data() + offset_[i], y.data() + offset_[i]);
  }
}

double BlockDiagonal::inverse_norm_squared(const VecX& x) const {
  double sum = 0.0;
  for (int i = 0; i < blocks(); ++i) {
    const auto part = x.segment(offset_[i], size_[i]);
    for (int column = 0; column < size_[i]; ++column) sum += part[column] * inverse(i).col(column).dot(part);
  }
  return sum;
}

}  // namespace cardhouse
