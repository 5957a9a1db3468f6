#include "cardhouse/math/coupled_blocks.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "cardhouse/base/memory_limit.h"
#include "cardhouse/math/sparse.h"

namespace cardhouse {
namespace {

using Triplet = Eigen::Triplet<double>;

void append(const CoupledBlocks::Block& block, int row, int column, std::vector<Triplet>& triplets) {
  for (int k = 0; k < block.cols(); ++k) {
    for (int i = 0; i < block.rows(); ++i) {
      if (row + i >= column + k) triplets.emplace_back(row + i, column + k, block(i, k));
    }
  }
}

/// The lower triangle of a column-compressed matrix: its entries' rows and values, column by column, rows rising.
struct Columns {
  std::vector<int> start, row;
  std::vector<double> value;
};

/// Entries of L for this order of elimination, from the elimination tree alone.
double entries_of_factor(const SparseColumns& lower,
                         const Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>& order) {
  SparseColumns upper(lower.rows(), lower.cols());
  upper.selfadjointView<Eigen::Upper>() = lower.selfadjointView<Eigen::Lower>().twistedBy(order.inverse());
  const int n = static_cast<int>(upper.cols());
  std::vector<int> parent(static_cast<std::size_t>(n), -1);
  std::vector<int> seen(static_cast<std::size_t>(n), -1);
  double entries = n;
  for (int k = 0; k < n; ++k) {
    seen[k] = k;
    for (SparseColumns::InnerIterator it(upper, k); it; ++it) {
      if (it.row() >= k) continue;  // twisting does not sort the rows
      for (int i = static_cast<int>(it.row()); seen[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        seen[i] = k;
        entries += 1.0;
      }
    }
  }
  return entries;
}

/// Throws MemoryError where factor and inverse on its pattern are too large.
void require_room(const SparseColumns& lower) {
  constexpr double bytes_per_entry = 2.0 * (sizeof(double) + sizeof(int));
  const double n = static_cast<double>(lower.rows());
  if (bytes_per_entry * 0.5 * n * (n + 1.0) <= memory_limit()) return;  // even if it is full
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), order);
  require_memory(bytes_per_entry * entries_of_factor(lower, order),
                 "the factorisation of a body with " + std::to_string(lower.rows()) + " velocities");
}

}  // namespace

struct CoupledBlocks::Factor {
  Eigen::SimplicialLDLT<SparseColumns, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;
  std::vector<int> place;  ///< of a dof in the order of elimination
  Columns inverse;         ///< Z on the pattern of L, without the diagonal
  std::vector<double> inverse_diagonal;

  void invert_on_pattern();
  /// Null where the pattern has no such entry.
  const double* entry(int one, int other) const;
};

int CoupledBlocks::add_node(int size) {
  size_.push_back(size);
  offset_.push_back(rows_);
  diagonal_.push_back(static_cast<int>(values_.size()));
  values_.resize(values_.size() + static_cast<std::size_t>(size * size), 0.0);
  rows_ += size;
  return nodes() - 1;
}

CoupledBlocks::Coupling CoupledBlocks::add_coupling(int one, int other) {
  assert(one != other);
  const int row = std::max(one, other);
  const int column = std::min(one, other);
  couplings_.push_back({row, column, static_cast<int>(values_.size())});
  values_.resize(values_.size() + static_cast<std::size_t>(size_[row] * size_[column]), 0.0);
  return couplings_.back();
}

bool CoupledBlocks::factorise() {
  std::vector<Triplet> triplets;
  for (int n = 0; n < nodes(); ++n) append(std::as_const(*this).diagonal(n), offset_[n], offset_[n], triplets);
  for (const Coupling& c : couplings_) {
    append(std::as_const(*this).block(c), offset_[c.row], offset_[c.column], triplets);
  }
  SparseColumns lower(rows_, rows_);
  lower.setFromTriplets(triplets.begin(), triplets.end());
  require_room(lower);
  auto factor = std::make_shared<Factor>();
  factor->ldlt.compute(lower);
  const auto d = factor->ldlt.vectorD();
  if (factor->ldlt.info() != Eigen::Success || !(d.array() > 0.0).all() || !d.allFinite()) return false;
  factor->invert_on_pattern();
  factor_ = std::move(factor);
  return true;
}

void CoupledBlocks::Factor::invert_on_pattern() {
  const SparseColumns& l = ldlt.matrixL().nestedExpression();
  const VecX d = ldlt.vectorD();
  const int n = static_cast<int>(l.rows());
  place.assign(ldlt.permutationP().indices().data(), ldlt.permutationP().indices().data() + n);
  inverse.start.assign(l.outerIndexPtr(), l.outerIndexPtr() + n + 1);
  inverse.row.assign(l.innerIndexPtr(), l.innerIndexPtr() + l.nonZeros());
  inverse.value.assign(inverse.row.size(), 0.0);
  inverse_diagonal.resize(static_cast<std::size_t>(n));
  std::vector<int> at(static_cast<std::size_t>(n), -1);  // of a row in the column's pattern
  std::vector<double> sum;
  for (int j = n - 1; j >= 0; --j) {
    const int first = inverse.start[j];
    const int last = inverse.start[j + 1];
    sum.assign(static_cast<std::size_t>(last - first), 0.0);
    for (int e = first; e < last; ++e) at[inverse.row[e]] = e - first;
    for (int e = first; e < last; ++e) {
      const int k = inverse.row[e];
      const double l_kj = l.valuePtr()[e];
      sum[e - first] += l_kj * inverse_diagonal[k];
      for (int f = inverse.start[k]; f < inverse.start[k + 1]; ++f) {
        const int i = at[inverse.row[f]];
        if (i < 0) continue;
        sum[i] += l_kj * inverse.value[f];
        sum[e - first] += l.valuePtr()[first + i] * inverse.value[f];
      }
    }
    double diagonal = 1.0 / d[j];
    for (int e = first; e < last; ++e) {
      inverse.value[e] = -sum[e - first];
      diagonal += l.valuePtr()[e] * sum[e - first];
      at[inverse.row[e]] = -1;
    }
    inverse_diagonal[j] = diagonal;
  }
}

const double* CoupledBlocks::Factor::entry(int one, int other) const {
  const int row = std::max(place[one], place[other]);
  const int column = std::min(place[one], place[other]);
  if (row == column) return &inverse_diagonal[column];
  const auto first = inverse.row.begin() + inverse.start[column];
  const auto last = inverse.row.begin() + inverse.start[column + 1];
  const auto found = std::lower_bound(first, last, row);
  return found != last && *found == row ? &inverse.value[static_cast<std::size_t>(found - inverse.row.begin())]
                                        : nullptr;
}

std::size_t CoupledBlocks::factor_bytes() const {
  if (!factor_) return 0;
  const std::size_t entries = factor_->inverse.row.size() + static_cast<std::size_t>(rows_);
  return entries * 2 * (sizeof(double) + sizeof(int));
}

void CoupledBlocks::multiply(const double* x, double* y) const {
  using Vector = Eigen::Map<VecX>;
  using ConstVector = Eigen::Map<const VecX>;
  for (int n = 0; n < nodes(); ++n) {
    Vector(y + offset_[n], size_[n]) = diagonal(n).lazyProduct(ConstVector(x + offset_[n], size_[n]));
  }
  for (const Coupling& c : couplings_) {
    Vector(y + offset_[c.row], size_[c.row]) +=
        block(c).lazyProduct(ConstVector(x + offset_[c.column], size_[c.column]));
    Vector(y + offset_[c.column], size_[c.column]) +=
        block(c).transpose().lazyProduct(ConstVector(x + offset_[c.row], size_[c.row]));
  }
}

void CoupledBlocks::solve(const double* x, double* y) const {
  assert(factor_);
  Eigen::Map<VecX>(y, rows_) = factor_->ldlt.solve(Eigen::Map<const VecX>(x, rows_));
}

void CoupledBlocks::solve_root(const double* x, double* y) const {
  assert(factor_);
  VecX ordered = factor_->ldlt.permutationP() * Eigen::Map<const VecX>(x, rows_);
  factor_->ldlt.matrixL().solveInPlace(ordered);
  Eigen::Map<VecX>(y, rows_) = (ordered.array() / factor_->ldlt.vectorD().array().sqrt()).matrix();
}

MatX CoupledBlocks::inverse_block(int row, int column) const {
  assert(factor_);
  MatX result(size_[row], size_[column]);
  for (int k = 0; k < size_[column]; ++k) {
    for (int i = 0; i < size_[row]; ++i) {
      const double* entry = factor_->entry(offset_[row] + i, offset_[column] + k);
      if (!entry) {  // far apart
        const VecX x = factor_->ldlt.solve(VecX::Unit(rows_, offset_[column] + k));
        result.col(k) = x.segment(offset_[row], size_[row]);
        break;
      }
      result(i, k) = *entry;
    }
  }
  return result;
}

}  // namespace cardhouse
