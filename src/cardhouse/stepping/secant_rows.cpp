#include "cardhouse/stepping/secant_rows.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Part of a body's size (−) by which bodies may overlap at the end of a step: pushing it out gains as small a part of
/// what the body has fallen by.
constexpr double negligible = 1e-13;
constexpr double round_off = 1e-15;  // of coordinates, a few digits of which gaps have

/// A contact's bodies, as it sees them in the step.
struct Approach {
  double arm = 0.0;       ///< m: from the farther centre of those that move
  double distance = 0.0;  ///< m: of the farther centre from the origin
  double turning = 0.0;   ///< rad, both together
  double normal = 0.0;    ///< m/s
  double tangential = 0.0;
  double turning_lever = 0.0;  ///< 1/s: what the normal velocity gains per metre along the tangent
};

Approach approach_of(const Model& model, const State& start, std::span<const Twist> twists, double h,
                     const Contact& contact) {
  Approach found;
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  const auto add = [&](int body, double sign) {
    const Vec3 arm = contact.point() - start.bodies[body].pose.position;
    const Twist& twist = twists[body];
    velocity += sign * (twist.linear + twist.angular.cross(arm));
    spin += sign * twist.angular;
    found.turning += h * twist.angular.norm();
    if (model.bodies[body].mobility != Mobility::moving) return;
    found.arm = std::max(found.arm, arm.norm());
    found.distance = std::max(found.distance, start.bodies[body].pose.position.norm());
  };
  add(contact.body_a, 1.0);
  add(contact.body_b, -1.0);
  found.normal = contact.normal().dot(velocity);
  found.tangential = contact.basis.col(1).dot(velocity);
  found.turning_lever = contact.normal().dot(spin.cross(Vec3(contact.basis.col(1))));
  return found;
}

}  // namespace

bool follow_surfaces(const Model& model, const State& start, const State& end, std::span<const Twist> twists, double h,
                     Detector& detector, std::vector<Contact>& contacts) {
  bool moved = false;
  for (Contact& contact : contacts) {
    if (contact.rows != 2) continue;
    const Approach seen = approach_of(model, start, twists, h, contact);
    const double tolerance = negligible * seen.arm + round_off * seen.distance;
    const double linear = contact.gap + h * seen.normal;
    // The most that the gap can bend within the step.
    const double bend = seen.turning * (seen.turning * seen.arm + h * std::abs(seen.tangential));
    if (bend <= tolerance || linear > bend) continue;
    const std::optional<double> gap = detector.gap_of(model, end, contact);
    if (!gap || *gap >= -tolerance) continue;
    const double shift = (*gap - linear) / (h * seen.turning_lever);
    if (!(std::abs(shift) <= seen.arm)) continue;  // nearly parallel motion, whose secant is the tangent
    contact.on_a += shift * contact.basis.col(1);
    contact.on_b += shift * contact.basis.col(1);
    moved = true;
  }
  return moved;
}

}  // namespace cardhouse
