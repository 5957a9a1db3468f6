#include "cardhouse/optimization/anderson.h"

#include <algorithm>

#include "cardhouse/math/decompositions.h"

namespace cardhouse {

void Anderson::reset(int size, int depth) {
  depth_ = depth;
  count_ = 0;
  step_changes_.resize(size, depth);
  value_changes_.resize(size, depth);
}

void Anderson::advance(VecX& x, const VecX& g, const VecX& weight) {
  step_ = (g - x).cwiseProduct(weight);
  if (depth_ == 0) {
    x = g;
    return;
  }
  if (count_ > 0) {
    const int slot = (count_ - 1) % depth_;
    step_changes_.col(slot) = step_ - last_step_;
    value_changes_.col(slot) = g - last_value_;
  }
  last_step_ = step_;
  last_value_ = g;
  ++count_;
  x = g;
  const int columns = std::min(count_ - 1, depth_);
  if (columns == 0) return;
  // Directions that the history does not resolve (below 1e-10 of the largest) carry no information, only round-off.
  const VecX mix = least_squares(step_changes_.leftCols(columns), step_, 1e-10);
  if (mix.allFinite()) x.noalias() -= value_changes_.leftCols(columns) * mix;
}

}  // namespace cardhouse
