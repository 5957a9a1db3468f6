#include "cardhouse/optimization/body_graph_lu.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

using Block = Eigen::Map<MatX>;
using Block6 = Eigen::Map<Eigen::Matrix<double, 6, 6>>;
using ConstBlock = Eigen::Map<const MatX>;
using ConstBlock6 = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;

/// c −= a b for blocks m × k and k × n. Rigid bodies in space are what there is most of.
void subtract_product(int m, int n, int k, const double* a, const double* b, double* c) {
  if (m == 6 && n == 6 && k == 6) {
    Block6(c).noalias() -= ConstBlock6(a) * ConstBlock6(b);
  } else {
    Block(c, m, n).noalias() -= ConstBlock(a, m, k).lazyProduct(ConstBlock(b, k, n));
  }
}

bool invert(int n, double* block) {
  Block m(block, n, n);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 12, 12> small;
  if (n <= 12) {
    small = m;
    const Eigen::PartialPivLU<decltype(small)> lu(small);
    m = lu.inverse();
  } else {
    const Eigen::PartialPivLU<MatX> lu{MatX(m)};
    m = lu.inverse();
  }
  return m.allFinite();
}

}  // namespace

void BodyGraphLu::lay_out_diagonal(const BlockDiagonal& a) {
  const int bodies = graph_.bodies();
  for (std::vector<int>* x : {&size_, &offset_, &diagonal_}) x->resize(bodies);
  int entries = 0;
  for (int k = 0; k < bodies; ++k) {
    size_[k] = a.size(graph_.body_at(k));
    offset_[k] = a.offset(graph_.body_at(k));
    diagonal_[k] = entries;
    entries += size_[k] * size_[k];
  }
  pivots_.resize(entries);
}

/// Eliminating body k links all that it is linked with; it suffices to hand its links to the first of them.
void BodyGraphLu::find_fill(const BlockRows& j) {
  const int bodies = graph_.bodies();
  below_.assign(bodies, {});
  for (int g = 0; g < j.groups(); ++g) {
    for (const BlockRows::Entry& e : j.entries(g)) {
      for (const BlockRows::Entry& f : j.entries(g)) {
        const int first = graph_.place(e.block);
        const int second = graph_.place(f.block);
        if (first < second) below_[first].push_back(second);
      }
    }
  }
  slots_.clear();
  first_slot_.assign(1, 0);
  int entries = 0;
  for (int k = 0; k < bodies; ++k) {
    std::vector<int>& rows = below_[k];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int row : rows) {
      slots_.push_back({row, entries});
      entries += size_[row] * size_[k];
    }
    first_slot_.push_back(static_cast<int>(slots_.size()));
    if (!rows.empty()) below_[rows[0]].insert(below_[rows[0]].end(), rows.begin() + 1, rows.end());
  }
  lower_.resize(entries);
  upper_.resize(entries);
}

void BodyGraphLu::analyse(const BlockDiagonal& a, const BlockRows& j) {
  if (!graph_.update(a, j)) return;
  lay_out_diagonal(a);
  find_fill(j);
}

const BodyGraphLu::Slot* BodyGraphLu::find_slot(int column, int row) const {
  const auto begin = slots_.begin() + first_slot_[column];
  const auto end = slots_.begin() + first_slot_[column + 1];
  return &*std::lower_bound(begin, end, row, [](const Slot& slot, int r) { return slot.row < r; });
}

void BodyGraphLu::add_product(const BlockRows& j, int left, const Mat3& full_weight, int right) {
  const auto weight = full_weight.topLeftCorner(j.group(left).dim, j.group(right).dim);
  if (weight.isZero(0.0)) return;
  for (const BlockRows::Entry& f : j.entries(right)) {
    weighted_.noalias() = weight * j.block(right, f);
    for (const BlockRows::Entry& e : j.entries(left)) {
      const int row = graph_.place(e.block);
      const int column = graph_.place(f.block);
      double* target = nullptr;
      if (row == column) {
        target = pivots_.data() + diagonal_[row];
      } else if (row > column) {
        target = lower_.data() + find_slot(column, row)->value;
      } else {
        target = upper_.data() + find_slot(row, column)->value;
      }
      Block(target, e.size, f.size).noalias() += j.block(left, e).transpose().lazyProduct(weighted_);
    }
  }
}

bool BodyGraphLu::factorise(const BlockDiagonal& a, const BlockRows& j, std::span<const Mat3> theta,
                            std::span<const Mat3> cross, std::span<const int> leader) {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
  for (int i = 0; i < a.blocks(); ++i)
    Block(pivots_.data() + diagonal_[graph_.place(i)], a.size(i), a.size(i)) = a.block(i);
  for (int g = 0; g < j.groups(); ++g) {
    add_product(j, g, theta[g], g);
    if (!cross.empty() && leader[g] >= 0) add_product(j, g, cross[g], leader[g]);
  }
  for (int k = 0; k < static_cast<int>(size_.size()); ++k) {
    if (!eliminate(k)) return false;
  }
  return true;
}

/// Inverts pivot k, makes its column of L and takes the product of its column and row from what is left.
bool BodyGraphLu::eliminate(int k) {
  const int n = size_[k];
  double* pivot = pivots_.data() + diagonal_[k];
  if (!invert(n, pivot)) return false;
  const int first = first_slot_[k];
  const int last = first_slot_[k + 1];
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor> copy;
  for (int s = first; s < last; ++s) {
    const int m = size_[slots_[s].row];
    double* block = lower_.data() + slots_[s].value;
    if (m == 6 && n == 6) {
      const Eigen::Matrix<double, 6, 6> old = Block6(block);
      Block6(block).noalias() = old * ConstBlock6(pivot);
    } else {
      copy = Block(block, m, n);
      Block(block, m, n).noalias() = copy.lazyProduct(ConstBlock(pivot, n, n));
    }
  }
  for (int t = first; t < last; ++t) {
    const int column = slots_[t].row;
    const double* u = upper_.data() + slots_[t].value;
    const double* l = lower_.data() + slots_[t].value;
    subtract_product(size_[column], size_[column], n, l, u, pivots_.data() + diagonal_[column]);
    // The rows after `column` are a subset of that column's rows: walk both lists together.
    int target = first_slot_[column];
    for (int s = t + 1; s < last; ++s) {
      while (slots_[target].row != slots_[s].row) ++target;
      const int m = size_[slots_[s].row];
      subtract_product(m, size_[column], n, lower_.data() + slots_[s].value, u, lower_.data() + slots_[target].value);
      subtract_product(size_[column], m, n, l, upper_.data() + slots_[s].value, upper_.data() + slots_[target].value);
    }
  }
  return true;
}

void BodyGraphLu::solve(const VecX& y, VecX& x) {
  const int bodies = static_cast<int>(size_.size());
  x = y;
  for (int k = 0; k < bodies; ++k) {
    for (int s = first_slot_[k]; s < first_slot_[k + 1]; ++s) {
      const int row = slots_[s].row;
      x.segment(offset_[row], size_[row]).noalias() -= ConstBlock(lower_.data() + slots_[s].value, size_[row], size_[k])
                                                           .lazyProduct(x.segment(offset_[k], size_[k]));
    }
  }
  for (int k = bodies - 1; k >= 0; --k) {
    work_ = x.segment(offset_[k], size_[k]);
    for (int s = first_slot_[k]; s < first_slot_[k + 1]; ++s) {
      const int row = slots_[s].row;
      work_.noalias() -= ConstBlock(upper_.data() + slots_[s].value, size_[k], size_[row])
                             .lazyProduct(x.segment(offset_[row], size_[row]));
    }
    x.segment(offset_[k], size_[k]).noalias() = ConstBlock(pivots_.data() + diagonal_[k], size_[k], size_[k]) * work_;
  }
}

}  // namespace cardhouse
