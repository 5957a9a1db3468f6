#include "cardhouse/stepping/secant_rows.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Part of a body's size (−) by which bodies may overlap at the end of a step: pushing it out gains as small a part of
/// what the body has fallen by.
constexpr double negligible = 1e-13;
constexpr double round_off = 1e-15;  // of coordinates, a few digits of which gaps have

/// Of the way that a contact makes in a step (−), for what the tangent turns on it.
constexpr double slack = 0.1;

/// A contact's bodies, as it sees them in the step.
struct Approach {
  double arm = 0.0;             ///< m: from the farther centre
  double distance = 0.0;        ///< m: of the farther centre from the origin
  double turning = 0.0;         ///< rad, both together
  double normal = 0.0;          ///< m/s
  Vec3 tangent = Vec3::Zero();  ///< along which the normal velocity changes the most
  double turning_lever = 0.0;   ///< 1/s: what it gains per metre along it
};

Approach approach_of(const State& start, std::span<const Twist> twists, double h, const Contact& contact) {
  Approach found;
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  const auto add = [&](int body, double sign) {
    const Vec3 arm = contact.point() - start.bodies[body].pose.position;
    const Twist& twist = twists[body];
    velocity += sign * (twist.linear + twist.angular.cross(arm));
    spin += sign * twist.angular;
    if (twist.angular.isZero(0.0)) return;
    found.turning += h * twist.angular.norm();
    found.arm = std::max(found.arm, arm.norm());
    found.distance = std::max(found.distance, start.bodies[body].pose.position.norm());
  };
  add(contact.body_a, 1.0);
  add(contact.body_b, -1.0);
  found.normal = contact.normal().dot(velocity);
  const Vec3 steepest = contact.normal().cross(spin);
  found.turning_lever = steepest.norm();
  found.tangent = steepest / found.turning_lever;
  return found;
}

/// m: places of a secant along the tangent, from where the contact was found.
struct Travel {
  double least = 0.0;
  double most = 0.0;
};

/// Between the contact's places on either body at the start and at the end of the step, as seen from that body's
/// centre: the secant's lever lies between the tangents' there, or beyond by what a lever at its longest bends.
Travel travel_of(const State& start, const State& end, const Model& model, const Contact& contact, const Approach& seen,
                 const Vec3& from, const Vec3& to) {
  Travel travel;
  for (const int body : {contact.body_a, contact.body_b}) {
    if (model.bodies[body].mobility != Mobility::moving) continue;
    const Vec3 moved = end.bodies[body].pose.position - start.bodies[body].pose.position;
    const double along = seen.tangent.dot(to - from - moved);
    travel.least = std::min(travel.least, along);
    travel.most = std::max(travel.most, along);
  }
  const double room = slack * (travel.most - travel.least) + seen.turning * seen.turning * seen.arm;
  return {travel.least - room, travel.most + room};
}

}  // namespace

bool follow_surfaces(const State& start, const State& end, std::span<const Twist> twists, double h, const Model& model,
                     Detector& detector, std::vector<Contact>& contacts, std::vector<Vec3>& offsets) {
  if (offsets.empty()) offsets.assign(contacts.size(), Vec3::Zero());
  bool moved = false;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    Contact& contact = contacts[i];
    const Approach seen = approach_of(start, twists, h, contact);
    const double tolerance = negligible * seen.arm + round_off * seen.distance;
    const double linear = contact.gap + h * seen.normal;
    // The point of contact can get as far along flat sides as they are long, and the gap bend by that times the
    // turning.
    if (seen.turning * seen.arm <= tolerance || linear > seen.turning * seen.arm) continue;
    const std::optional<ManifoldPoint> after = detector.find(model, end, contact);
    if (!after || after->gap >= -tolerance) continue;
    const double bent = after->gap - linear;
    if (bent >= -tolerance) continue;  // the row sees it, and what is left is the solver's, or meant to stay
    const Vec3 found = contact.point() - offsets[i];
    const Travel travel = travel_of(start, end, model, contact, seen, found, 0.5 * (after->on_a + after->on_b));
    const double moved_so_far = offsets[i].dot(seen.tangent);
    const double wanted = moved_so_far + bent / (h * seen.turning_lever);
    if (!std::isfinite(wanted)) continue;  // bodies that turn as one bend by something else
    const double shift = std::clamp(wanted, travel.least, travel.most) - moved_so_far;
    if (std::abs(h * seen.turning_lever * shift) <= 0.1 * tolerance) continue;
    contact.on_a += shift * seen.tangent;
    contact.on_b += shift * seen.tangent;
    offsets[i] += shift * seen.tangent;
    moved = true;
  }
  return moved;
}

}  // namespace cardhouse
