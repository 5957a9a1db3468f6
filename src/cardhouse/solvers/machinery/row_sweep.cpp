#include "cardhouse/solvers/machinery/row_sweep.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cardhouse {
namespace {

/// Blocks with up to this many columns are taken whole: skipping their zeros would cost more.
constexpr int rigid_columns = 6;
/// Largest number of groups for which W may be formed: all pairs of groups are visited.
constexpr int most_groups_formed = 24;

/// The end of the run of columns from `first` on that are all zero, or all nonzero.
int end_of_run(const BlockRows::Block& block, int first) {
  const bool zero = block.col(first).isZero(0.0);
  int end = first + 1;
  while (end < block.cols() && block.col(end).isZero(0.0) == zero) ++end;
  return end;
}

}  // namespace

void RowSweep::set_problem(const ContactProblem& problem) {
  groups_.clear();
  parts_.clear();
  values_.clear();
  effect_parts_.clear();
  effects_.clear();
  groups_.reserve(problem.groups());
  has_bodies_ = !problem.delassus && !problem.a.has_coupled_bodies();
  if (has_bodies_) {
    take_bodies(problem);
  } else if (problem.delassus) {
    take_rows_of_w(*problem.delassus, problem.j);
  } else {
    take_rows_of_w(*explicit_form(problem).delassus, problem.j);
  }
  contacts_.resize(groups_.size());
  for (int g = 0; g < groups(); ++g) {
    const Law& law = problem.laws[g];
    contacts_[g].set(law, dim(g), has_bodies_ ? block_of_w(groups_[g]) : delassus_block(problem, g));
    groups_[g].leader_row = is_dependent(law) ? problem.j.group(law.leader).row : -1;
  }
  if (has_bodies_ && is_worth_forming()) form_rows_of_w(problem);
}

void RowSweep::take_bodies(const ContactProblem& problem) {
  offset_ = problem.b;
  compliance_ = problem.compliance;
  v_free_ = problem.v_free;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    Group group;
    group.row = rows.row;
    group.dim = rows.dim;
    group.first_part = static_cast<int>(parts_.size());
    group.first_effect = static_cast<int>(effect_parts_.size());
    group.effect_count = rows.entry_count;
    for (const BlockRows::Entry& entry : problem.j.entries(g)) take_entry(problem, g, entry);
    group.part_count = static_cast<int>(parts_.size()) - group.first_part;
    groups_.push_back(group);
  }
}

/// One body's columns: those of J that are not zero, and what an impulse does to all of them.
void RowSweep::take_entry(const ContactProblem& problem, int g, const BlockRows::Entry& entry) {
  const BlockRows::Block j = problem.j.block(g, entry);
  const std::size_t start = effects_.size();
  effect_parts_.push_back({entry.column, entry.size, static_cast<int>(start)});
  effects_.resize(start + static_cast<std::size_t>(j.size()), 0.0);
  double* effect = effects_.data() + start;
  for (int first = 0; first < entry.size;) {
    const int end = entry.size <= rigid_columns ? entry.size : end_of_run(j, first);
    const auto run = j.middleCols(first, end - first);
    if (entry.size <= rigid_columns || !run.col(0).isZero(0.0)) {
      parts_.push_back({entry.column + first, end - first, static_cast<int>(values_.size())});
      values_.insert(values_.end(), run.data(), run.data() + run.size());
      problem.a.add_rows_times_inverse(j, entry.block, first, end, effect);
    }
    first = end;
  }
}

Mat3 RowSweep::product(const Group& g, const Group& h) const {
  Mat3 result = Mat3::Zero();
  for (int k = h.first_part; k < h.first_part + h.part_count; ++k) {
    const Part& part = parts_[k];
    for (int e = g.first_effect; e < g.first_effect + g.effect_count; ++e) {
      const Part& effect = effect_parts_[e];
      if (part.column < effect.column || part.column >= effect.column + effect.size) continue;
      const double* left = effects_.data() + effect.data + g.dim * (part.column - effect.column);
      const double* right = values_.data() + part.data;
      for (int column = 0; column < part.size; ++column, left += g.dim, right += h.dim) {
        for (int i = 0; i < h.dim; ++i) {
          for (int l = 0; l < g.dim; ++l) result(l, i) += left[l] * right[i];
        }
      }
    }
  }
  return result;
}

Mat3 RowSweep::block_of_w(const Group& group) const {
  Mat3 block = product(group, group);
  for (int i = 0; i < group.dim; ++i) block(i, i) += compliance_[group.row + i];
  return block;
}

bool RowSweep::share_a_body(const Group& one, const Group& other) const {
  for (int i = one.first_effect; i < one.first_effect + one.effect_count; ++i) {
    for (int k = other.first_effect; k < other.first_effect + other.effect_count; ++k) {
      if (effect_parts_[i].column == effect_parts_[k].column) return true;
    }
  }
  return false;
}

/// Whether W has fewer entries than J and J A⁻¹ together.
bool RowSweep::is_worth_forming() const {
  if (groups() > most_groups_formed) return false;
  const std::size_t most = values_.size() + effects_.size();
  std::size_t entries = 0;
  for (const Group& one : groups_) {
    for (const Group& other : groups_) {
      if (share_a_body(one, other)) entries += static_cast<std::size_t>(one.dim * other.dim);
    }
    if (entries > most) return false;
  }
  return true;
}

void RowSweep::form_rows_of_w(const ContactProblem& problem) {
  w_parts_.clear();
  w_values_.clear();
  w_counts_.clear();
  for (const Group& group : groups_) {
    const std::size_t first = w_parts_.size();
    for (const Group& other : groups_) {
      if (!share_a_body(group, other)) continue;
      const bool goes_on = w_parts_.size() > first && w_parts_.back().column + w_parts_.back().size == other.row;
      if (!goes_on) w_parts_.push_back({other.row, 0, static_cast<int>(w_values_.size())});
      w_parts_.back().size += other.dim;
      const Mat3 block = &group == &other ? block_of_w(group) : product(group, other);
      for (int i = 0; i < other.dim; ++i) {
        w_values_.insert(w_values_.end(), block.col(i).data(), block.col(i).data() + group.dim);
      }
    }
    w_counts_.push_back(static_cast<int>(w_parts_.size() - first));
  }
  std::swap(parts_, w_parts_);
  std::swap(values_, w_values_);
  int first = 0;
  for (int g = 0; g < groups(); ++g) {
    groups_[g].first_part = first;
    groups_[g].part_count = w_counts_[g];
    first += w_counts_[g];
  }
  free_velocity(problem, offset_);
  has_bodies_ = false;
}

/// Columns of a row of W in order, as the matrix need not be compressed.
struct RowCursor {
  SparseRows::InnerIterator it;
  int column() const { return it ? static_cast<int>(it.col()) : std::numeric_limits<int>::max(); }
};

void RowSweep::take_rows_of_w(const ExplicitDelassus& delassus, const BlockRows& j) {
  offset_ = delassus.q;
  compliance_.resize(0);
  v_free_.resize(0);
  const SparseRows& w = delassus.w;
  values_.reserve(w.nonZeros());
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    Group group;
    group.row = rows.row;
    group.dim = rows.dim;
    group.first_part = static_cast<int>(parts_.size());
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
  for (int k = group.first_effect; k < group.first_effect + group.effect_count; ++k) {
    const Part& part = effect_parts_[k];
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
