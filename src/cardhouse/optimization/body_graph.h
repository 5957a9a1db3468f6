// Which bodies share a group of rows, and in which order a factorisation of A + Jᵀ Θ J eliminates them: approximate
// minimum degree over bodies, not over single dofs.
#pragma once

#include <vector>

#include "cardhouse/math/block_rows.h"

namespace cardhouse {

class BodyGraph {
 public:
  /// False, and nothing is done, when the same bodies touch as in the last call.
  bool update(const BlockDiagonal& a, const BlockRows& j);

  int bodies() const { return static_cast<int>(sizes_.size()); }
  /// Of a body, in the elimination order.
  int place(int body) const { return place_[body]; }
  int body_at(int place) const { return body_at_[place]; }

 private:
  bool same(const BlockDiagonal& a, const BlockRows& j) const;
  void keep(const BlockDiagonal& a, const BlockRows& j);
  void order(const BlockRows& j);

  std::vector<int> sizes_;   ///< of A's blocks
  std::vector<int> blocks_;  ///< per group of J its entry count and blocks
  std::vector<int> place_, body_at_;
};

}  // namespace cardhouse
