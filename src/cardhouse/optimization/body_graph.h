// Which bodies share a group of rows, in which order a factorisation of A + Jᵀ Θ J eliminates them, and which blocks it
// fills: over bodies, not over single dofs. The order is postordered: what a body fills comes soon after it, so that
// neighbours in the order have much the same pattern (supernodes.h).
#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/block_rows.h"

namespace cardhouse {

class BodyGraph {
 public:
  /// False, and nothing is done, when the same bodies touch as in the last call.
  bool update(const BodyMatrix& a, const BlockRows& j);

  int bodies() const { return static_cast<int>(sizes_.size()); }
  /// Of a body, in the elimination order.
  int place(int body) const { return place_[body]; }
  int body_at(int place) const { return body_at_[place]; }
  /// Places of the blocks below the diagonal in the column of a place, ascending, fill included.
  std::span<const int> below(int place) const { return below_[place]; }
  /// The first of them, where the column's fill goes on; −1 where there is none.
  int parent(int place) const { return below_[place].empty() ? -1 : below_[place].front(); }

 private:
  bool same(const BodyMatrix& a, const BlockRows& j) const;
  void keep(const BodyMatrix& a, const BlockRows& j);
  void find_neighbours(const BodyMatrix& a, const BlockRows& j);
  void order();
  void find_fill();
  void postorder();
  void set_order(std::vector<int> body_at);

  std::vector<int> sizes_;   ///< of A's blocks
  std::vector<int> blocks_;  ///< per group of J its entry count and blocks, then the pairs that A couples
  std::vector<int> first_neighbour_, neighbours_;
  std::vector<int> place_, body_at_;
  std::vector<std::vector<int>> below_;
};

}  // namespace cardhouse
