#pragma once

#include "cardhouse/math/types.h"

namespace cardhouse {

/// What a body moves with during a step.
struct Twist {
  Vec3 linear = Vec3::Zero();   ///< m/s, of the centre of mass
  Vec3 angular = Vec3::Zero();  ///< rad/s
};

}  // namespace cardhouse
