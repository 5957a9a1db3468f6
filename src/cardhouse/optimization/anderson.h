// Anderson acceleration (type II, Walker & Ni 2011) of a fixed-point iteration x ← g(x): the next x combines the last
// values of g so that the same combination of the last steps g(x) − x is smallest.
#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

class Anderson {
 public:
  /// depth: how many earlier iterates are combined; 0 leaves the plain iteration.
  void reset(int size, int depth);
  /// Forgets the history, e.g. after an iterate that made things worse.
  void restart() { count_ = 0; }
  /// Takes x and g = g(x), returns the next x in `x`. `weight` scales the components of the step before it is measured.
  void advance(VecX& x, const VecX& g, const VecX& weight);

 private:
  int depth_ = 0;
  int count_ = 0;  ///< iterates seen since the last restart
  MatX step_changes_, value_changes_;
  VecX last_step_, last_value_, step_;
};

}  // namespace cardhouse
