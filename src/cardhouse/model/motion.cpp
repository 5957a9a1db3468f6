#include "cardhouse/model/motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cardhouse {
namespace {

Pose pose_after(const ConstantVelocity& motion, const Pose& initial, double t) {
  return {initial.position + t * motion.linear, rotation_from_vector(t * motion.angular) * initial.orientation};
}

Pose pose_after(const Shaking& motion, const Pose& initial, double t) {
  const double angle = 2.0 * std::numbers::pi * motion.frequency * t + motion.phase;
  // The start value is subtracted, so that the body is at its initial pose at t = 0 whatever the phase.
  return {initial.position + (std::sin(angle) - std::sin(motion.phase)) * motion.amplitude, initial.orientation};
}

Pose pose_after(const Tilting& motion, const Pose& initial, double t) {
  const double since = std::max(t - motion.start, 0.0);
  const double full = std::max(since - motion.ramp, 0.0);  // time spent at the full rate
  const double growing = std::min(since, motion.ramp);
  const double time_at_rate = full + (motion.ramp > 0.0 ? 0.5 * growing * growing / motion.ramp : 0.0);
  const double angle = std::clamp(motion.rate * time_at_rate, -motion.max_angle, motion.max_angle);
  const Quat rotation = rotation_from_vector(angle * motion.axis.normalized());
  return {motion.pivot + rotation * (initial.position - motion.pivot), rotation * initial.orientation};
}

/// From 0 to 1 with no speed and no acceleration at the ends.
double smooth_rise(double x) {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double part = std::clamp(x, 0.0, 1.0);
  return part - std::sin(turn * part) / turn;
}

Pose pose_after(const LiftAndShake& motion, const Pose& initial, double t) {
  const double shaking = std::max(t - motion.shake_start, 0.0) * motion.frequency;  // periods
  const Vec3 lifted = smooth_rise((t - motion.start) / motion.time) * motion.displacement;
  const Vec3 shaken = smooth_rise(shaking) * std::sin(2.0 * std::numbers::pi * shaking) * motion.amplitude;
  return {initial.position + lifted + shaken, initial.orientation};
}

}  // namespace

Pose pose_at(const Motion& motion, const Pose& initial, double t) {
  return std::visit([&](const auto& kind) { return pose_after(kind, initial, t); }, motion);
}

}  // namespace cardhouse
