#include "cardhouse/viewer/drag.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "cardhouse/base/error.h"

namespace cardhouse::viewer {
namespace {

constexpr double frequency = 40.0;              ///< rad/s: follows a hand within a tenth of a second
constexpr double largest_acceleration = 200.0;  ///< m/s²: a far target pulls hard, but does not shoot the body away

/// K: how the point accelerates per force on it.
Mat3 inverse_mass_at(const Body& body, const BodyState& state, const Vec3& arm) {
  Mat3 inverse_inertia = Mat3::Zero();
  if (body.kind == BodyKind::planar) {
    inverse_inertia(1, 1) = 1.0 / body.inertia(1, 1);
  } else if (body.kind == BodyKind::spatial) {
    const Mat3 rotation = state.pose.orientation.toRotationMatrix();
    inverse_inertia = rotation * body.inertia.inverse() * rotation.transpose();
  }
  const Mat3 cross = cross_matrix(arm);
  return Mat3::Identity() / body.mass - cross * inverse_inertia * cross;
}

}  // namespace

void DragForce::grab(const Model& model, const Drag& drag) {
  if (drag.body >= static_cast<int>(model.bodies.size())) {
    throw InputError(fmt::format("body {}: this scene has {}", drag.body, model.bodies.size()));
  }
  const Body& body = model.bodies[static_cast<std::size_t>(drag.body)];
  if (body.mobility != Mobility::dynamic) {
    throw InputError(fmt::format("body \"{}\" can't be dragged: it does not move freely", body.name));
  }
  drag_ = drag;
  if (body.kind == BodyKind::particle) drag_->point.setZero();
}

void DragForce::add(const Model& model, const State& state, std::span<Wrench> wrenches) const {
  if (!drag_) return;
  const auto index = static_cast<std::size_t>(drag_->body);
  const BodyState& s = state.bodies[index];
  const Vec3 arm = s.pose.orientation * drag_->point;
  const Vec3 velocity = point_velocity(s, arm);
  const double w = std::min(frequency, 0.5 / step_);
  Vec3 pull = w * w * (drag_->target - (s.pose.position + arm));
  pull *= largest_acceleration / std::max(pull.norm(), largest_acceleration);
  const Vec3 force = inverse_mass_at(model.bodies[index], s, arm).inverse() * (pull - 2.0 * w * velocity);
  wrenches[index].force += force;
  wrenches[index].torque += arm.cross(force);
}

}  // namespace cardhouse::viewer
