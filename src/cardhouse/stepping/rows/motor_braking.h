// How fast a motor with a position target may run, so that its force brakes it in time (docs/joints.md).
//
// A motor that brakes with the deceleration a loses a h of its speed in every step. From the speed m a h it comes to
// rest after the way h (m + (m − 1) + … ) a h = m (m + 1)/2 a h², so that with the way s left it may have
//
//     s' = a h/2 (√(1 + 8 s/(a h²)) − 1)        and s/h where that is less: in the last step.
//
// a is the acceleration that max_force gives the bodies, less what other forces do. For it, everything that hangs on
// either side of the joint is taken as one rigid body. Bodies that are free to lag behind resist less, never more.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// m/s or rad/s, ≥ 0: the largest speed at which `reach` ≥ 0 can be met at rest.
double braking_speed(double reach, double deceleration, double h);

class MotorBraking {
 public:
  /// `in_loop`: for every joint whether it is part of a closed loop. In a loop only the joint's own two bodies count,
  /// because everything else hangs on both sides.
  MotorBraking(const Model& model, const std::vector<bool>& in_loop);

  /// Deceleration (m/s² or rad/s²) of joint j along a coordinate, moving towards `direction` (±1) against `max_force`.
  /// It is only a part of what the motor can do, as a reserve for contacts and for loads that change on the way.
  double deceleration(const Model& model, const State& state, std::span<const Prediction> predictions, int j,
                      const JointGeometry& geometry, int coordinate, double max_force, double direction,
                      double h) const;

 private:
  /// The bodies that hang on one body of a joint, including itself. Empty when that side is held by something that does
  /// not yield.
  using Side = std::vector<int>;
  std::vector<std::array<Side, 2>> sides_;
};

}  // namespace cardhouse
