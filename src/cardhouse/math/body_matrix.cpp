#include "cardhouse/math/body_matrix.h"

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

/// effect += j aᵀ: what one velocity's part in the rows adds to J A⁻¹, a being its column of A⁻¹.
template <int dim>
void add_effects(const double* j, const double* a, int size, double* effect) {
  for (int c = 0; c < size; ++c, effect += dim) {
    for (int i = 0; i < dim; ++i) effect[i] += j[i] * a[c];
  }
}

}  // namespace

void BodyMatrix::clear() {
  rows_ = 0;
  size_.clear();
  offset_.clear();
  data_.clear();
  coupled_of_.clear();
  value_.clear();
  inverse_.clear();
  coupled_.clear();
}

void BodyMatrix::reserve(int blocks, int entries) {
  size_.reserve(blocks);
  offset_.reserve(blocks);
  data_.reserve(blocks);
  coupled_of_.reserve(blocks);
  value_.reserve(entries);
  inverse_.reserve(entries);
}

int BodyMatrix::add(const Eigen::Ref<const MatX>& block) {
  return add(block, Cholesky(block).inverse());
}

int BodyMatrix::add(const Eigen::Ref<const MatX>& block, const Eigen::Ref<const MatX>& inverse) {
  assert(block.rows() == block.cols() && inverse.rows() == block.rows());
  const int n = static_cast<int>(block.rows());
  const std::size_t start = value_.size();
  size_.push_back(n);
  offset_.push_back(rows_);
  data_.push_back(static_cast<int>(start));
  coupled_of_.push_back(-1);
  value_.resize(start + static_cast<std::size_t>(n * n));
  inverse_.resize(value_.size());
  Eigen::Map<MatX>(value_.data() + start, n, n) = block;
  Eigen::Map<MatX>(inverse_.data() + start, n, n) = inverse;
  rows_ += n;
  return blocks() - 1;
}

int BodyMatrix::add(std::shared_ptr<const CoupledBlocks> body) {
  const int first = blocks();
  for (int n = 0; n < body->nodes(); ++n) {
    size_.push_back(body->size(n));
    offset_.push_back(rows_ + body->offset(n));
    data_.push_back(-1);
    coupled_of_.push_back(static_cast<int>(coupled_.size()));
  }
  const int offset = rows_;
  rows_ += body->rows();
  coupled_.push_back({first, offset, std::move(body)});
  return first;
}

int BodyMatrix::add_body_of(const BodyMatrix& other, int block) {
  const int coupled = other.coupled_of_[block];
  return coupled < 0 ? add(other.block(block), other.inverse(block)) : add(other.coupled_[coupled].matrix);
}

BodyMatrix::Block BodyMatrix::block(int i) const {
  if (coupled_of_[i] < 0) return Block(value_.data() + data_[i], size_[i], size_[i]);
  const Coupled& body = coupled_[coupled_of_[i]];
  return body.matrix->diagonal(i - body.first_block);
}

void BodyMatrix::apply(const std::vector<double>& blocks, const VecX& x, VecX& y) const {
  y.resize(rows_);
  for (std::size_t i = 0; i < size_.size(); ++i) {
    if (data_[i] < 0) continue;
    multiply_block(size_[i], blocks.data() + data_[i], x.data() + offset_[i], y.data() + offset_[i]);
  }
}

void BodyMatrix::multiply(const VecX& x, VecX& y) const {
  apply(value_, x, y);
  for (const Coupled& body : coupled_) body.matrix->multiply(x.data() + body.offset, y.data() + body.offset);
}

void BodyMatrix::solve(const VecX& x, VecX& y) const {
  apply(inverse_, x, y);
  for (const Coupled& body : coupled_) body.matrix->solve(x.data() + body.offset, y.data() + body.offset);
}

void BodyMatrix::add_solved(int block, const Eigen::Ref<const VecX>& x, VecX& y) const {
  if (coupled_of_[block] < 0) {
    y.segment(offset_[block], size_[block]) += inverse(block) * x;
    return;
  }
  const Coupled& body = coupled_[coupled_of_[block]];
  VecX right = VecX::Zero(body.matrix->rows());
  VecX solution(right.size());
  right.segment(offset_[block] - body.offset, size_[block]) = x;
  body.matrix->solve(right.data(), solution.data());
  y.segment(body.offset, right.size()) += solution;
}

double BodyMatrix::inverse_norm_squared(const VecX& x) const {
  double sum = 0.0;
  for (int i = 0; i < blocks(); ++i) {
    if (data_[i] < 0) continue;
    const auto part = x.segment(offset_[i], size_[i]);
    for (int column = 0; column < size_[i]; ++column) sum += part[column] * inverse(i).col(column).dot(part);
  }
  VecX solution;
  for (const Coupled& body : coupled_) {
    solution.resize(body.matrix->rows());
    body.matrix->solve(x.data() + body.offset, solution.data());
    sum += solution.dot(x.segment(body.offset, solution.size()));
  }
  return sum;
}

MatX BodyMatrix::root_times(const Block& left, int block) const {
  if (coupled_of_[block] < 0) {
    const MatX lower = Cholesky(this->block(block)).lower();
    return lower.triangularView<Eigen::Lower>().solve(MatX(left.transpose()));
  }
  const Coupled& body = coupled_[coupled_of_[block]];
  MatX result(body.matrix->rows(), left.rows());
  for (int i = 0; i < left.rows(); ++i) {
    VecX row = VecX::Zero(body.matrix->rows());
    row.segment(offset_[block] - body.offset, size_[block]) = left.row(i).transpose();
    body.matrix->solve_root(row.data(), result.col(i).data());
  }
  return result;
}

void BodyMatrix::add_sandwich(const Block& left, int block, const Block& right, int other, Mat3& product) const {
  const auto rows = left.rows();
  const auto columns = right.rows();
  assert(rows <= 3 && columns <= 3);
  auto sum = product.topLeftCorner(rows, columns);
  if (coupled_of_[block] >= 0) {
    if (coupled_of_[block] != coupled_of_[other]) return;
    const Coupled& body = coupled_[coupled_of_[block]];
    const MatX middle = body.matrix->inverse_block(block - body.first_block, other - body.first_block);
    sum += left * middle * right.transpose();
    return;
  }
  if (block != other) return;
  for (int column = 0; column < size_[block]; ++column) {
    if (right.col(column).isZero(0.0)) continue;  // most are, of a large body that is touched in one place
    // One column of (J A⁻¹) at a time: nothing to allocate whatever the size of the block.
    Vec3 weighted = Vec3::Zero();
    weighted.head(rows).noalias() = left.lazyProduct(inverse(block).col(column));
    sum.noalias() += weighted.head(rows) * right.col(column).transpose();
  }
}

void BodyMatrix::add_rows_times_inverse(const Block& left, int block, int first, int end, double* effect) const {
  assert(coupled_of_[block] < 0);
  const auto dim = left.rows();
  const auto add = dim == 3 ? add_effects<3> : dim == 2 ? add_effects<2> : add_effects<1>;
  for (int k = first; k < end; ++k) add(left.col(k).data(), inverse(block).col(k).data(), size_[block], effect);
}

}  // namespace cardhouse
