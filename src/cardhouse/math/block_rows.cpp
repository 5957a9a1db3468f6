#include "cardhouse/math/block_rows.h"

#include <algorithm>
#include <cassert>

namespace cardhouse {

void BlockRows::clear() {
  rows_ = 0;
  groups_.clear();
  entries_.clear();
  values_.clear();
}

void BlockRows::begin_group(int dim) {
  groups_.push_back({rows_, dim, static_cast<int>(entries_.size()), 0});
  rows_ += dim;
}

void BlockRows::add(const BodyMatrix& columns, int block, const Eigen::Ref<const MatX>& value) {
  Group& group = groups_.back();
  assert(value.rows() == group.dim && value.cols() == columns.size(block));
  const std::size_t start = values_.size();
  entries_.push_back({block, columns.offset(block), columns.size(block), static_cast<int>(start)});
  values_.resize(start + static_cast<std::size_t>(value.size()));
  Eigen::Map<MatX>(values_.data() + start, value.rows(), value.cols()) = value;
  ++group.entry_count;
}

namespace {

/// u += B v for a dim × size block. A number of rows that the compiler knows keeps u in registers; 0: known when it
/// runs.
template <int known_dim>
void multiply_block(int some_dim, const double* value, int size, const double* v, double* u) {
  const int dim = known_dim > 0 ? known_dim : some_dim;
  double sum[known_dim > 0 ? known_dim : 1];
  double* to = known_dim > 0 ? sum : u;
  if (known_dim > 0) std::copy(u, u + dim, to);
  for (int j = 0; j < size; ++j, value += dim) {
    for (int i = 0; i < dim; ++i) to[i] += value[i] * v[j];
  }
  if (known_dim > 0) std::copy(to, to + dim, u);
}

/// x += Bᵀ r.
template <int known_dim>
void add_transposed_block(int some_dim, const double* value, int size, const double* r, double* x) {
  const int dim = known_dim > 0 ? known_dim : some_dim;
  for (int j = 0; j < size; ++j, value += dim) {
    double sum = 0.0;
    for (int i = 0; i < dim; ++i) sum += value[i] * r[i];
    x[j] += sum;
  }
}

}  // namespace

void BlockRows::multiply_group(int g, const VecX& v, double* u) const {
  const int dim = groups_[g].dim;
  const auto multiply = dim == 3 ? multiply_block<3> : dim == 2 ? multiply_block<2> : multiply_block<0>;
  std::fill(u, u + dim, 0.0);
  for (const Entry& entry : entries(g)) {
    multiply(dim, values_.data() + entry.data, entry.size, v.data() + entry.column, u);
  }
}

void BlockRows::add_transposed_group(int g, const double* r, VecX& x) const {
  const int dim = groups_[g].dim;
  const auto add = dim == 3 ? add_transposed_block<3> : dim == 2 ? add_transposed_block<2> : add_transposed_block<0>;
  for (const Entry& entry : entries(g)) {
    add(dim, values_.data() + entry.data, entry.size, r, x.data() + entry.column);
  }
}

void BlockRows::multiply(const VecX& v, VecX& u) const {
  u.resize(rows_);
  for (int g = 0; g < groups(); ++g) multiply_group(g, v, u.data() + groups_[g].row);
}

void BlockRows::add_transposed(const VecX& r, VecX& x) const {
  for (int g = 0; g < groups(); ++g) add_transposed_group(g, r.data() + groups_[g].row, x);
}

Mat3 BlockRows::delassus_block(int g, const BodyMatrix& a) const {
  assert(groups_[g].dim <= 3);
  Mat3 result = Mat3::Zero();
  const std::span<const Entry> group = entries(g);
  // Both sides of a contact may belong to one body: entries that share a body count together.
  for (const Entry& first : group) {
    for (const Entry& second : group) {
      a.add_sandwich(block(g, first), first.block, block(g, second), second.block, result);
    }
  }
  return result;
}

}  // namespace cardhouse
