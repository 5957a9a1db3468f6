#include "cardhouse/optimization/body_graph_cholesky.h"

#include <algorithm>

namespace cardhouse {

/// All columns of a body share one row pattern, so that a body's columns are one dense panel of the value array.
void BodyGraphCholesky::lay_out(const BlockDiagonal& a, const BlockRows& j) {
  const int bodies = a.blocks();
  std::vector<std::vector<int>> above(bodies);  // per body: the bodies that come no later and share a group with it
  for (int i = 0; i < bodies; ++i) above[i].push_back(i);
  for (int g = 0; g < j.groups(); ++g) {
    for (const BlockRows::Entry& e : j.entries(g)) {
      for (const BlockRows::Entry& f : j.entries(g)) {
        if (graph_.place(e.block) < graph_.place(f.block)) above[f.block].push_back(e.block);
      }
    }
  }
  permuted_offset_.resize(bodies);
  for (int k = 0, offset = 0; k < bodies; ++k) {
    permuted_offset_[graph_.body_at(k)] = offset;
    offset += a.size(graph_.body_at(k));
  }
  size_.resize(bodies);
  offset_.resize(bodies);
  for (int i = 0; i < bodies; ++i) {
    size_[i] = a.size(i);
    offset_[i] = a.offset(i);
  }

  h_.resize(a.rows(), a.rows());
  std::vector<int> column_starts{0};
  std::vector<int> row_indices;
  std::vector<int> panel_start(bodies);
  std::vector<int> panel_height(bodies);
  diagonal_value_.resize(bodies);
  diagonal_stride_.resize(bodies);
  for (int k = 0; k < bodies; ++k) {
    const int body = graph_.body_at(k);
    std::vector<int>& rows = above[body];
    std::sort(rows.begin(), rows.end(), [&](int x, int y) { return graph_.place(x) < graph_.place(y); });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    panel_start[body] = static_cast<int>(row_indices.size());
    int height = 0;
    for (int row_body : rows) height += a.size(row_body);
    panel_height[body] = height;
    for (int c = 0; c < a.size(body); ++c) {
      for (int row_body : rows) {
        for (int r = 0; r < a.size(row_body); ++r) row_indices.push_back(permuted_offset_[row_body] + r);
      }
      column_starts.push_back(static_cast<int>(row_indices.size()));
    }
    diagonal_value_[body] = panel_start[body] + height - a.size(body);
    diagonal_stride_[body] = height;
  }
  h_.resizeNonZeros(static_cast<int>(row_indices.size()));
  std::copy(column_starts.begin(), column_starts.end(), h_.outerIndexPtr());
  std::copy(row_indices.begin(), row_indices.end(), h_.innerIndexPtr());
  std::fill(h_.valuePtr(), h_.valuePtr() + h_.nonZeros(), 0.0);

  const auto value_of = [&](int row_body, int column_body) {
    int value = panel_start[column_body];
    for (int other : above[column_body]) {
      if (other == row_body) break;
      value += a.size(other);
    }
    return value;
  };
  targets_.clear();
  first_target_.assign(1, 0);
  for (int g = 0; g < j.groups(); ++g) {
    const auto entries = j.entries(g);
    for (int e = 0; e < static_cast<int>(entries.size()); ++e) {
      for (int f = 0; f < static_cast<int>(entries.size()); ++f) {
        const int row_body = entries[e].block;
        const int column_body = entries[f].block;
        if (graph_.place(row_body) > graph_.place(column_body)) continue;
        targets_.push_back({e, f, value_of(row_body, column_body), panel_height[column_body]});
      }
    }
    first_target_.push_back(static_cast<int>(targets_.size()));
  }
}

void BodyGraphCholesky::analyse(const BlockDiagonal& a, const BlockRows& j) {
  if (!graph_.update(a, j)) return;
  lay_out(a, j);
  cholesky_.analyzePattern(h_);
  permuted_.resize(a.rows());
}

bool BodyGraphCholesky::factorise(const BlockDiagonal& a, const BlockRows& j, std::span<const Mat3> theta) {
  double* values = h_.valuePtr();
  std::fill(values, values + h_.nonZeros(), 0.0);
  using Panel = Eigen::Map<MatX, 0, Eigen::OuterStride<>>;
  for (int i = 0; i < a.blocks(); ++i) {
    Panel(values + diagonal_value_[i], a.size(i), a.size(i), Eigen::OuterStride<>(diagonal_stride_[i])) = a.block(i);
  }
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 6> weighted;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, Eigen::Dynamic> weighted_wide;
  for (int g = 0; g < j.groups(); ++g) {
    const int dim = j.group(g).dim;
    const auto weight = theta[g].topLeftCorner(dim, dim);
    if (weight.isZero(0.0)) continue;
    const auto entries = j.entries(g);
    for (int t = first_target_[g]; t < first_target_[g + 1]; ++t) {
      const Target& target = targets_[t];
      const BlockRows::Entry& first = entries[target.first];
      const BlockRows::Entry& second = entries[target.second];
      Panel panel(values + target.value, first.size, second.size, Eigen::OuterStride<>(target.stride));
      if (second.size <= 6) {  // rigid bodies and particles: without an allocation
        weighted.noalias() = weight * j.block(g, second);
        panel.noalias() += j.block(g, first).transpose().lazyProduct(weighted);
      } else {
        weighted_wide.noalias() = weight * j.block(g, second);
        panel.noalias() += j.block(g, first).transpose().lazyProduct(weighted_wide);
      }
    }
  }
  cholesky_.factorize(h_);
  return cholesky_.info() == Eigen::Success;
}

void BodyGraphCholesky::solve(const VecX& y, VecX& x) {
  for (std::size_t i = 0; i < permuted_offset_.size(); ++i) {
    permuted_.segment(permuted_offset_[i], size_[i]) = y.segment(offset_[i], size_[i]);
  }
  cholesky_.matrixL().solveInPlace(permuted_);
  cholesky_.matrixU().solveInPlace(permuted_);
  x.resize(y.size());
  for (std::size_t i = 0; i < permuted_offset_.size(); ++i) {
    x.segment(offset_[i], size_[i]) = permuted_.segment(permuted_offset_[i], size_[i]);
  }
}

}  // namespace cardhouse
