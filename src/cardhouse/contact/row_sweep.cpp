#include "cardhouse/contact/row_sweep.h"

#include <algorithm>
#include <limits>

namespace cardhouse {

void RowSweep::set_problem(const ContactProblem& problem) {
  groups_.clear();
  parts_.clear();
  values_.clear();
  effects_.clear();
  has_bodies_ = !problem.delassus;
  if (has_bodies_) {
    take_bodies(problem);
  } else {
    take_rows_of_w(problem);
  }
  contacts_.resize(groups_.size());
  for (int g = 0; g < groups(); ++g) {
    const Law& law = problem.laws[g];
    contacts_[g].set(law, dim(g), delassus_block(problem, g));
    groups_[g].leader_row = is_dependent(law) ? problem.j.group(law.leader).row : -1;
  }
}

void RowSweep::take_bodies(const ContactProblem& problem) {
  offset_ = problem.b;
  compliance_ = problem.compliance;
  v_free_ = problem.v_free;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const Group group{rows.row, rows.dim, static_cast<int>(parts_.size()), rows.entry_count, -1};
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const BlockRows::Block j = problem.j.block(g, entry);
      const BlockDiagonal::Block inverse = problem.a.inverse(entry.block);
      const std::size_t start = values_.size();
      parts_.push_back({entry.column, entry.size, static_cast<int>(start)});
      values_.insert(values_.end(), j.data(), j.data() + j.size());
      effects_.resize(values_.size());
      Eigen::Map<MatX>(effects_.data() + start, rows.dim, entry.size).noalias() = j.lazyProduct(inverse.transpose());
    }
    groups_.push_back(group);
  }
}

/// Columns of a row of W in order, as the matrix need not be compressed.
struct RowCursor {
  SparseRows::InnerIterator it;
  int column() const { return it ? static_cast<int>(it.col()) : std::numeric_limits<int>::max(); }
};

void RowSweep::take_rows_of_w(const ContactProblem& problem) {
  offset_ = problem.delassus->q;
  compliance_.resize(0);
  v_free_.resize(0);
  const SparseRows& w = problem.delassus->w;
  values_.reserve(w.nonZeros());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    Group group{rows.row, rows.dim, static_cast<int>(parts_.size()), 0, -1};
    // The group's rows merged: where one has an entry, all get one.
    const int last = rows.row + rows.dim - 1;
    RowCursor cursors[3] = {{SparseRows::InnerIterator(w, rows.row)},
                            {SparseRows::InnerIterator(w, std::min(rows.row + 1, last))},
                            {SparseRows::InnerIterator(w, last)}};
    while (true) {
      int column = std::numeric_limits<int>::max();
      for (int i = 0; i < rows.dim; ++i) column = std::min(column, cursors[i].column());
      if (column == std::numeric_limits<int>::max()) break;
      double values[3] = {0.0, 0.0, 0.0};
      for (int i = 0; i < rows.dim; ++i) {
        if (cursors[i].column() != column) continue;
        values[i] = cursors[i].it.value();
        ++cursors[i].it;
      }
      append_column(group, column, values);
    }
    groups_.push_back(group);
  }
}

void RowSweep::append_column(Group& group, int column, const double* values) {
  const bool goes_on = group.part_count > 0 && parts_.back().column + parts_.back().size == column;
  if (!goes_on) {
    parts_.push_back({column, 0, static_cast<int>(values_.size())});
    ++group.part_count;
  }
  ++parts_.back().size;
  values_.insert(values_.end(), values, values + group.dim);
}

void RowSweep::set_impulses(const VecX& r) {
  if (!has_bodies_) {
    r_ = r;
    return;
  }
  r_.setZero(r.size());
  v_ = v_free_;
  for (int g = 0; g < groups(); ++g) set_impulse(g, r.data() + groups_[g].row);
}

template <int dim>
void RowSweep::multiply(const Group& group, double* u) const {
  const double* x = has_bodies_ ? v_.data() : r_.data();
  double sum[dim];
  for (int i = 0; i < dim; ++i) sum[i] = offset_[group.row + i];
  for (int k = group.first_part; k < group.first_part + group.part_count; ++k) {
    const Part& part = parts_[k];
    const double* value = values_.data() + part.data;
    for (int j = 0; j < part.size; ++j, value += dim) {
      const double xj = x[part.column + j];
      for (int i = 0; i < dim; ++i) sum[i] += value[i] * xj;
    }
  }
  if (has_bodies_) {
    for (int i = 0; i < dim; ++i) sum[i] += compliance_[group.row + i] * r_[group.row + i];
  }
  std::copy(sum, sum + dim, u);
}

template <int dim>
void RowSweep::apply(const Group& group, const double* change) {
  for (int k = group.first_part; k < group.first_part + group.part_count; ++k) {
    const Part& part = parts_[k];
    const double* effect = effects_.data() + part.data;
    for (int j = 0; j < part.size; ++j, effect += dim) {
      double sum = 0.0;
      for (int i = 0; i < dim; ++i) sum += effect[i] * change[i];
      v_[part.column + j] += sum;
    }
  }
}

void RowSweep::velocity(int g, double* u) const {
  const Group& group = groups_[g];
  if (group.dim == 3) return multiply<3>(group, u);
  if (group.dim == 2) return multiply<2>(group, u);
  multiply<1>(group, u);
}

void RowSweep::set_impulse(int g, const double* r) {
  const Group& group = groups_[g];
  double change[3];
  for (int i = 0; i < group.dim; ++i) {
    change[i] = r[i] - r_[group.row + i];
    r_[group.row + i] = r[i];
  }
  if (!has_bodies_) return;
  if (group.dim == 3) return apply<3>(group, change);
  if (group.dim == 2) return apply<2>(group, change);
  apply<1>(group, change);
}

}  // namespace cardhouse
