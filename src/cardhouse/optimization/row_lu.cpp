#include "cardhouse/optimization/row_lu.h"

#include <algorithm>

namespace cardhouse {

void RowLu::set_matrix(const SparseRows& w, const BlockRows& groups, std::span<const int> leader) {
  w_ = &w;
  groups_ = &groups;
  leader_.assign(leader.begin(), leader.end());
  lay_out();
  lu_.analyzePattern(matrix_);
}

template <typename Visit>
void RowLu::for_each_product(const Mat3* theta, const Mat3* cross, Visit visit) const {
  const auto multiply = [&](const BlockRows::Group& left, const Mat3* block, const BlockRows::Group& right) {
    for (int k = 0; k < right.dim; ++k) {
      for (SparseRows::InnerIterator w(*w_, right.row + k); w; ++w) {
        for (int i = 0; i < left.dim; ++i) visit(left.row + i, block ? (*block)(i, k) : 0.0, w);
      }
    }
  };
  for (int g = 0; g < groups_->groups(); ++g) {
    multiply(groups_->group(g), theta ? theta + g : nullptr, groups_->group(g));
    const int leader = leader_.empty() ? -1 : leader_[g];
    if (leader >= 0) multiply(groups_->group(g), cross ? cross + g : nullptr, groups_->group(leader));
  }
}

void RowLu::lay_out() {
  const int rows = static_cast<int>(w_->rows());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(3 * w_->nonZeros() + w_->rows());
  for (int row = 0; row < rows; ++row) entries.emplace_back(row, row, 1.0);
  for_each_product(nullptr, nullptr, [&](int row, double, const SparseRows::InnerIterator& w) {
    entries.emplace_back(row, static_cast<int>(w.col()), 1.0);
  });
  matrix_.resize(rows, rows);
  matrix_.setFromTriplets(entries.begin(), entries.end());
  const auto place = [&](int row, int column) {
    const int* first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
    const int* last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - matrix_.innerIndexPtr());
  };
  targets_.clear();
  diagonal_.clear();
  for (int row = 0; row < rows; ++row) diagonal_.push_back(place(row, row));
  for_each_product(nullptr, nullptr, [&](int row, double, const SparseRows::InnerIterator& w) {
    targets_.push_back(place(row, static_cast<int>(w.col())));
  });
}

bool RowLu::factorise(std::span<const Mat3> theta, std::span<const Mat3> cross) {
  double* values = matrix_.valuePtr();
  std::fill(values, values + matrix_.nonZeros(), 0.0);
  for (const int place : diagonal_) values[place] += 1.0;
  const int* target = targets_.data();
  for_each_product(
      theta.data(), cross.empty() ? nullptr : cross.data(),
      [&](int, double factor, const SparseRows::InnerIterator& w) { values[*target++] += factor * w.value(); });
  if (matrix_.rows() == 0) return true;
  lu_.factorize(matrix_);
  return lu_.info() == Eigen::Success;
}

void RowLu::solve(const VecX& y, VecX& x) {
  if (matrix_.rows() == 0) {
    x = y;
    return;
  }
  x = lu_.solve(y);
}

}  // namespace cardhouse
