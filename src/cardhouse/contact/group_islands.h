// Which groups of a contact problem act on each other, through bodies or through the entries of a given W.
#pragma once

#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/math/union_find.h"

namespace cardhouse {

/// Keeps its buffers between calls.
class GroupIslands {
 public:
  void find(const ContactProblem& problem);

  /// At least one, numbered in the order of their first groups. Groups that nothing can move are together in one.
  int count() const { return count_; }
  int of(int group) const { return of_groups_[group]; }
  const std::vector<int>& of_groups() const { return of_groups_; }

 private:
  void unite_bodies(const ContactProblem& problem);
  void unite_rows(const ContactProblem& problem);
  /// The set that a group belongs to; the last one where nothing can move it.
  int set_of(const ContactProblem& problem, int group);

  int count_ = 1;
  std::vector<int> of_groups_;
  UnionFind sets_;  ///< of bodies, or of groups where W is given
  int sets_size_ = 0;
  std::vector<int> number_;        ///< of each set; −1: none yet
  std::vector<int> group_of_row_;  ///< where W is given
};

}  // namespace cardhouse
