// Anderson acceleration (anderson.h) for iterations that cost no more than a few passes over x. The least-squares
// problem is solved by normal equations; each step adds one row to them. A step costs O(size · depth) and allocates
// nothing. Differences below 1e-6 of the history are lost; further iterations correct that.
#pragma once

#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

class QuickAnderson {
 public:
  static constexpr int most_depth = 8;

  /// depth: how many earlier iterates are combined, most_depth at most.
  void reset(int size, int depth);
  /// Forgets the history, e.g. after an iterate that made things worse.
  void restart() { count_ = 0; }
  /// Takes x and g = g(x), returns the next x in `x`. `weight` scales the components of the step before it is measured.
  void advance(VecX& x, const VecX& g, const VecX& weight);

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_depth, most_depth>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_depth, 1>;

  int depth_ = 0;
  int count_ = 0;  ///< iterates seen since the last restart
  MatX step_changes_, value_changes_;
  Eigen::Matrix<double, most_depth, most_depth> products_;  ///< of the columns of step_changes_
  VecX last_step_, last_value_, step_;
};

}  // namespace cardhouse
