// Prescribed motions of kinematic bodies, as functions of time that start at the body's initial pose.
#pragma once

#include <variant>

#include "cardhouse/math/pose.h"

namespace cardhouse {

/// Moves with a constant twist about the body's origin.
struct ConstantVelocity {
  Vec3 linear = Vec3::Zero();   ///< m/s, world frame
  Vec3 angular = Vec3::Zero();  ///< rad/s, world frame
};

/// position = start + amplitude · (sin(2 pi frequency t + phase) − sin(phase)).
struct Shaking {
  Vec3 amplitude = Vec3::Zero();  ///< m, world frame
  double frequency = 1.0;         ///< Hz
  double phase = 0.0;             ///< rad
};

/// Turns about a world-fixed axis from a start time on, up to a largest angle, where it stays. The rate grows linearly
/// to its full value within `ramp`, so that what stands on the plane is not knocked over by the start.
struct Tilting {
  Vec3 axis = Vec3::UnitY();  ///< unit, world frame
  Vec3 pivot = Vec3::Zero();  ///< m, a point on the axis
  double rate = 0.0;          ///< rad/s
  double start = 0.0;         ///< s
  double ramp = 0.0;          ///< s
  double max_angle = 1.5;     ///< rad
};

/// Moves smoothly by `displacement` between `start` and `start + time`, as x − sin(2 pi x)/(2 pi) of it, so that the
/// acceleration is at most 2 pi displacement/time². From `shake_start` on it also shakes as Shaking does; over the
/// first period the amplitude grows from nothing, smoothly too.
struct LiftAndShake {
  Vec3 displacement = Vec3::Zero();  ///< m, world frame
  double start = 0.0;                ///< s
  double time = 1.0;                 ///< s, > 0
  Vec3 amplitude = Vec3::Zero();     ///< m, world frame
  double frequency = 1.0;            ///< Hz, > 0
  double shake_start = 0.0;          ///< s
};

using Motion = std::variant<ConstantVelocity, Shaking, Tilting, LiftAndShake>;

/// The pose at time t of a body that was at `initial` at t = 0.
Pose pose_at(const Motion& motion, const Pose& initial, double t);

}  // namespace cardhouse
