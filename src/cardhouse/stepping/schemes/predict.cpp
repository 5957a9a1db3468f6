#include "cardhouse/stepping/schemes/predict.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "cardhouse/model/springs.h"

namespace cardhouse {
namespace {

/// q^p = q + h/4 v (Eq. 4.63 with its slip put right): where the Moreau–Jean scheme evaluates forces.
void move_quarter_step(State& state, double h) {
  for (BodyState& body : state.bodies) {
    body.pose.position += 0.25 * h * body.linear;
    body.pose.orientation = rotation_from_vector(0.25 * h * body.angular) * body.pose.orientation;
  }
}

/// `outside`: those of them that no potential counts.
void add_forces(const Model& model, const State& state, GlobalField& global, std::vector<Wrench>& wrenches,
                std::vector<Wrench>& outside) {
  wrenches.assign(model.bodies.size(), Wrench{});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    wrenches[i].force = body.mass * model.gravity + body.force;
    wrenches[i].torque = body.torque;
  }
  for (const Spring& spring : model.springs) {
    if (!spring.implicit) add_spring_force(spring, state, wrenches);
  }
  if (acts(model.global_forces)) global.add_forces(model, state, wrenches);
  outside.assign(model.bodies.size(), Wrench{});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) outside[i].torque = model.bodies[i].torque;
  if (model.callbacks.empty()) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    outside[i].force -= wrenches[i].force;
    outside[i].torque -= wrenches[i].torque;
  }
  for (const ForceCallback& callback : model.callbacks) callback(model, state, wrenches);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    outside[i].force += wrenches[i].force;
    outside[i].torque += wrenches[i].torque;
  }
}

/// w with w = I(exp(h/2 w) R)⁻¹ L, from a start. The iteration contracts by about h‖w‖/2; false when it does not end.
bool find_midpoint_velocity(const Mat3& body_inverse, const Quat& orientation, const Vec3& momentum, double h,
                            Vec3& w) {
  double change = 0.0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Quat halfway = rotation_from_vector(0.5 * h * w) * orientation;
    const Vec3 next = halfway * (body_inverse * (halfway.conjugate() * momentum));
    change = (next - w).norm();
    w = next;
    if (change <= 1e-16 * w.norm()) return true;
  }
  return change <= 1e-9 * w.norm();  // slow, or in a cycle of round-off: good enough
}

/// rad in a step: from the first on, the free rotation uses a method of higher order; up to the second, the mean
/// velocity of such a step is well defined.
constexpr double slow_turn = 1e-4;
constexpr double fast_turn = 1.0;

/// The mean angular velocity of the free rotation over the step. For fast bodies it is composed of five midpoint steps
/// (Suzuki 1990), which is symmetric in time and of fourth order. The midpoint rule alone lets the energy of a free
/// body swing by the square of the step's angle, this one by its fourth power.
bool find_free_velocity(const Mat3& body_inverse, const Quat& orientation, const Vec3& momentum, double h, Vec3& w) {
  const double turn = h * w.norm();
  if (turn < slow_turn || turn > fast_turn) return find_midpoint_velocity(body_inverse, orientation, momentum, h, w);
  const double outer = 1.0 / (4.0 - std::cbrt(4.0));
  Quat place = orientation;
  for (const double part : {outer, outer, 1.0 - 4.0 * outer, outer, outer}) {
    if (!find_midpoint_velocity(body_inverse, place, momentum, part * h, w)) return false;
    place = (rotation_from_vector(part * h * w) * place).normalized();
  }
  w = vector_from_rotation(place * orientation.conjugate()) / h;
  return true;
}

/// The part of a velocity along the axes that the body has; along the others a guide holds it against any force.
Vec3 along_own_axes(const Body& body, const Vec3& velocity) {
  Vec3 result = Vec3::Zero();
  const DofSelection dofs = dofs_of(body);
  for (int i = 0; i < dofs.count; ++i) {
    if (dofs.component[i] < 3) result[dofs.component[i]] = velocity[dofs.component[i]];
  }
  return result;
}

Prediction predict_dynamic(const Body& body, const BodyState& s, const Wrench& wrench, double h) {
  Prediction p;
  // Damping is implicit, so that no coefficient can overshoot: m (1 + h d) v⁺ = m v + h f + Jᵀ r.
  p.linear_drag = 1.0 + h * body.linear_damping;
  p.angular_drag = 1.0 + h * body.angular_damping;
  p.linear = along_own_axes(body, s.linear + h / body.mass * wrench.force) / p.linear_drag;
  if (body.kind == BodyKind::particle) return p;
  if (body.kind == BodyKind::planar) {
    const double inertia = body.inertia(1, 1);
    p.inertia(1, 1) = inertia;
    p.inverse_inertia(1, 1) = 1.0 / inertia;
    p.angular.y() = (s.angular.y() + h / inertia * wrench.torque.y()) / p.angular_drag;
    p.angular_momentum = p.inertia * p.angular;
    return p;
  }
  const Mat3 rotation = s.pose.orientation.toRotationMatrix();
  const Mat3 body_inverse = body.inertia.inverse();
  p.inertia = rotation * body.inertia * rotation.transpose();
  p.inverse_inertia = rotation * body_inverse * rotation.transpose();
  p.angular_momentum = (p.inertia * s.angular + h * wrench.torque) / p.angular_drag;
  p.angular = p.inverse_inertia * p.angular_momentum;
  if (p.angular_momentum.squaredNorm() > 0.0) {
    p.converged = find_free_velocity(body_inverse, s.pose.orientation, p.angular_momentum, h, p.angular);
  }
  return p;
}

Prediction predict_kinematic(const Body& body, const State& state, std::size_t i, double h) {
  Prediction p;
  const Pose& now = state.bodies[i].pose;
  p.kinematic_pose = pose_at(*body.motion, state.initial_poses[i], state.time + h);
  p.linear = (p.kinematic_pose.position - now.position) / h;
  p.angular = vector_from_rotation(p.kinematic_pose.orientation * now.orientation.conjugate()) / h;
  return p;
}

}  // namespace

std::vector<Prediction>& Predictor::predict(const Model& model, const State& state, const StepSettings& settings) {
  const double h = settings.step;
  if (settings.scheme == Scheme::moreau_jean) {
    midpoint_ = state;
    move_quarter_step(midpoint_, h);
    add_forces(model, midpoint_, global_, wrenches_, outside_);
  } else {
    add_forces(model, state, global_, wrenches_, outside_);
  }
  predictions_.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    switch (body.mobility) {
      case Mobility::dynamic:
        predictions_[i] = predict_dynamic(body, state.bodies[i], wrenches_[i], h);
        predictions_[i].block_inertia = predictions_[i].inertia;
        predictions_[i].block_inverse = predictions_[i].inverse_inertia;
        break;
      case Mobility::kinematic:
        predictions_[i] = predict_kinematic(body, state, i, h);
        break;
      case Mobility::fixed:
        predictions_[i] = Prediction{};
        break;
    }
  }
  return predictions_;
}

}  // namespace cardhouse
