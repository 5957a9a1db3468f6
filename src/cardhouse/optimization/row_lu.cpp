#include "cardhouse/optimization/row_lu.h"

#include <algorithm>

namespace cardhouse {

void RowLu::set_matrix(const SparseRows& w, const BlockRows& groups) {
  w_ = &w;
  groups_ = &groups;
  lay_out();
  lu_.analyzePattern(matrix_);
}

void RowLu::lay_out() {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(3 * w_->nonZeros() + w_->rows());
  for (int g = 0; g < groups_->groups(); ++g) {
    const BlockRows::Group& rows = groups_->group(g);
    for (int k = 0; k < rows.dim; ++k) {
      entries.emplace_back(rows.row + k, rows.row + k, 1.0);
      for (SparseRows::InnerIterator w(*w_, rows.row + k); w; ++w) {
        for (int i = 0; i < rows.dim; ++i) entries.emplace_back(rows.row + i, static_cast<int>(w.col()), 1.0);
      }
    }
  }
  matrix_.resize(w_->rows(), w_->rows());
  matrix_.setFromTriplets(entries.begin(), entries.end());
  const auto place = [&](int row, int column) {
    const int* first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
    const int* last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - matrix_.innerIndexPtr());
  };
  targets_.clear();
  diagonal_.clear();
  for (int g = 0; g < groups_->groups(); ++g) {
    const BlockRows::Group& rows = groups_->group(g);
    for (int k = 0; k < rows.dim; ++k) {
      diagonal_.push_back(place(rows.row + k, rows.row + k));
      for (SparseRows::InnerIterator w(*w_, rows.row + k); w; ++w) {
        for (int i = 0; i < rows.dim; ++i) targets_.push_back(place(rows.row + i, static_cast<int>(w.col())));
      }
    }
  }
}

bool RowLu::factorise(std::span<const Mat3> theta) {
  double* values = matrix_.valuePtr();
  std::fill(values, values + matrix_.nonZeros(), 0.0);
  const int* target = targets_.data();
  for (int g = 0; g < groups_->groups(); ++g) {
    const BlockRows::Group& rows = groups_->group(g);
    for (int k = 0; k < rows.dim; ++k) {
      values[diagonal_[rows.row + k]] += 1.0;
      for (SparseRows::InnerIterator w(*w_, rows.row + k); w; ++w) {
        for (int i = 0; i < rows.dim; ++i) values[*target++] += theta[g](i, k) * w.value();
      }
    }
  }
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
