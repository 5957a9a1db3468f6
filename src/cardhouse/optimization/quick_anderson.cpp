#include "cardhouse/optimization/quick_anderson.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace cardhouse {

void QuickAnderson::reset(int size, int depth) {
  depth_ = std::clamp(depth, 1, most_depth);
  count_ = 0;
  step_changes_.resize(size, depth_);
  value_changes_.resize(size, depth_);
}

void QuickAnderson::advance(VecX& x, const VecX& g, const VecX& weight) {
  step_ = (g - x).cwiseProduct(weight);
  const int columns = std::min(count_, depth_);
  if (count_ > 0) {
    const int slot = (count_ - 1) % depth_;
    step_changes_.col(slot) = step_ - last_step_;
    value_changes_.col(slot) = g - last_value_;
    for (int k = 0; k < columns; ++k) {
      products_(slot, k) = products_(k, slot) = step_changes_.col(slot).dot(step_changes_.col(k));
    }
  }
  last_step_ = step_;
  last_value_ = g;
  ++count_;
  x = g;
  if (columns == 0) return;
  // Columns at unit length, so that old and long ones do not hide the new; then a little on the diagonal for those that
  // point the same way.
  SmallVector inverse_length(columns);
  SmallVector right(columns);
  Small system(columns, columns);
  for (int k = 0; k < columns; ++k) {
    inverse_length[k] = products_(k, k) > 0.0 ? 1.0 / std::sqrt(products_(k, k)) : 0.0;
    right[k] = inverse_length[k] * step_changes_.col(k).dot(step_);
  }
  for (int i = 0; i < columns; ++i) {
    for (int k = 0; k < columns; ++k) system(i, k) = products_(i, k) * inverse_length[i] * inverse_length[k];
    system(i, i) = 1.0 + 1e-12;
  }
  SmallVector mix = system.ldlt().solve(right);
  mix = mix.cwiseProduct(inverse_length).eval();
  if (!mix.allFinite()) return;
  for (int k = 0; k < columns; ++k) x -= mix[k] * value_changes_.col(k);
}

}  // namespace cardhouse
