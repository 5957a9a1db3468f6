#include "cardhouse/contact/group_islands.h"

#include <algorithm>

namespace cardhouse {

void GroupIslands::find(const ContactProblem& problem) {
  if (problem.delassus && !problem.delassus->islands.empty()) {
    of_groups_ = problem.delassus->islands;
    count_ = 1 + *std::max_element(of_groups_.begin(), of_groups_.end());
    return;
  }
  problem.delassus ? unite_rows(problem) : unite_bodies(problem);
  number_.assign(sets_size_ + 1, -1);
  of_groups_.resize(problem.groups());
  int islands = 0;
  for (int g = 0; g < problem.groups(); ++g) {
    int& number = number_[set_of(problem, g)];
    if (number < 0) number = islands++;
    of_groups_[g] = number;
  }
  count_ = std::max(islands, 1);
}

void GroupIslands::unite_bodies(const ContactProblem& problem) {
  sets_size_ = problem.a.blocks();
  sets_.reset(sets_size_);
  for (const BodyMatrix::Coupled& body : problem.a.coupled_bodies()) {
    for (int n = 1; n < body.matrix->nodes(); ++n) sets_.unite(body.first_block + n, body.first_block);
  }
  for (int g = 0; g < problem.groups(); ++g) {
    const auto entries = problem.j.entries(g);
    for (std::size_t e = 1; e < entries.size(); ++e) sets_.unite(entries[e].block, entries[0].block);
  }
}

/// The bodies behind a given W are not known: groups that it couples, and those whose friction depends on another's
/// load.
void GroupIslands::unite_rows(const ContactProblem& problem) {
  sets_size_ = problem.groups();
  sets_.reset(sets_size_);
  group_of_row_.resize(problem.rows());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    std::fill_n(group_of_row_.begin() + rows.row, rows.dim, g);
    const Law& law = problem.laws[g];
    if (is_dependent(law) && law.leader >= 0 && law.leader < problem.groups()) sets_.unite(g, law.leader);
  }
  for (int row = 0; row < problem.rows(); ++row) {
    for (SparseRows::InnerIterator entry(problem.delassus->w, row); entry; ++entry) {
      if (entry.value() != 0.0) sets_.unite(group_of_row_[row], group_of_row_[entry.col()]);
    }
  }
}

int GroupIslands::set_of(const ContactProblem& problem, int group) {
  if (problem.delassus) return delassus_block(problem, group).isZero(0.0) ? sets_size_ : sets_.find(group);
  const auto entries = problem.j.entries(group);
  return entries.empty() ? sets_size_ : sets_.find(entries[0].block);
}

}  // namespace cardhouse
