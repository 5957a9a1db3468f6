#include "cardhouse/viewer/drag.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "cardhouse/base/error.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/springs.h"

namespace cardhouse::viewer {
namespace {

constexpr double frequency = 40.0;              ///< rad/s: follows a hand within a tenth of a second
constexpr double largest_acceleration = 200.0;  ///< m/s²: a far target pulls hard, but does not shoot the body away

/// K: how the point accelerates per force on it.
Mat3 inverse_mass_at(const Body& body, const BodyState& state, const Vec3& arm) {
  Mat3 inverse_inertia = Mat3::Zero();
  if (equations_of(body).in_plane()) {
    inverse_inertia(1, 1) = 1.0 / body.inertia(1, 1);
  } else if (equations_of(body).turns()) {
    const Mat3 rotation = state.pose.orientation.toRotationMatrix();
    inverse_inertia = rotation * body.inertia.inverse() * rotation.transpose();
  }
  const Mat3 cross = cross_matrix(arm);
  return Mat3::Identity() / body.mass - cross * inverse_inertia * cross;
}

/// A node draws the rest of its body along, and the force must do for as much of it as it can. But it acts on the node
/// alone, at the start of the step: beyond these bounds its spring or its damper would make the node thrash.
Vec3 force_on_node(const Body& body, int node, const Vec3& pull, const Vec3& velocity, double w, double h) {
  const double own = equations_of(body).node_mass(body, node);
  const double drawn = std::min(body.mass, own / (4.0 * w * w * h * h));
  const double damped = std::min(drawn, own / (2.0 * w * h));
  return drawn * pull - damped * 2.0 * w * velocity;
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
  const int nodes = nodes_of(body);
  if (nodes > 0 ? drag.node < 0 || drag.node >= nodes : drag.node >= 0) {
    throw InputError(fmt::format("node {}: body \"{}\" has {}", drag.node, body.name, nodes));
  }
  drag_ = drag;
  if (!equations_of(body).turns()) drag_->point.setZero();
}

void DragForce::add(const Model& model, const State& state, std::span<Wrench> wrenches) const {
  if (!drag_) return;
  const auto index = static_cast<std::size_t>(drag_->body);
  const BodyState& s = state.bodies[index];
  const Stencil stencil = Stencil::at(drag_->node);
  const Pose frame = frame_at(s, stencil);
  const Vec3 arm = frame.orientation * drag_->point;
  const Vec3 velocity = point_velocity(s, stencil, arm);
  const double w = std::min(frequency, 0.5 / step_);
  Vec3 pull = w * w * (drag_->target - (frame.position + arm));
  pull *= largest_acceleration / std::max(pull.norm(), largest_acceleration);
  const Body& body = model.bodies[index];
  const Vec3 force = drag_->node >= 0 ? force_on_node(body, drag_->node, pull, velocity, w, step_)
                                      : Vec3(inverse_mass_at(body, s, arm).inverse() * (pull - 2.0 * w * velocity));
  add_force(s, stencil, arm, force, wrenches[index]);
}

}  // namespace cardhouse::viewer
