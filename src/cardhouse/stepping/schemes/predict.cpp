#include "cardhouse/stepping/schemes/predict.h"

#include <algorithm>

#include "cardhouse/model/springs.h"

namespace cardhouse {
namespace {

/// q^p = q + h/4 v (Eq. 4.63 with its slip put right): where the Moreau–Jean scheme evaluates forces.
void move_quarter_step(State& state, double h) {
  for (BodyState& body : state.bodies) {
    body.pose.position += 0.25 * h * body.linear;
    body.pose.orientation = rotation_from_vector(0.25 * h * body.angular) * body.pose.orientation;
    if (body.nodes.size() > 0) body.nodes += 0.25 * h * body.node_velocities;
  }
}

/// `outside`: those of them that no potential counts.
void add_forces(const Model& model, const State& state, double h, GlobalField& global, std::vector<Wrench>& wrenches,
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
  for (const PointPotential& given : model.potentials) add_potential_force(model, given, state, h, wrenches);
  if (acts(model.global_forces)) global.add_forces(model, state, wrenches);
  outside.assign(model.bodies.size(), Wrench{});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) outside[i].torque = model.bodies[i].torque;
  if (model.callbacks.empty()) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    outside[i].force -= wrenches[i].force;
    outside[i].torque -= wrenches[i].torque;
    if (wrenches[i].on_nodes.size() > 0) outside[i].on_nodes = -wrenches[i].on_nodes;
  }
  for (const ForceCallback& callback : model.callbacks) callback(model, state, wrenches);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    outside[i].force += wrenches[i].force;
    outside[i].torque += wrenches[i].torque;
    if (wrenches[i].on_nodes.size() == 0) continue;
    if (outside[i].on_nodes.size() == 0) outside[i].on_nodes.setZero(wrenches[i].on_nodes.size());
    outside[i].on_nodes += wrenches[i].on_nodes;
  }
}

/// Nodes move with the frame.
void move_nodes(const BodyState& now, const Pose& end, double h, Prediction& p) {
  const Quat turn = end.orientation * now.pose.orientation.conjugate();
  p.end.nodes.resize(now.nodes.size());
  for (Eigen::Index i = 0; i < now.nodes.size(); i += 3) {
    const Vec3 arm = now.nodes.segment<3>(i) - now.pose.position;
    p.end.nodes.segment<3>(i) = end.position + turn * arm;
  }
  p.node_velocities = (p.end.nodes - now.nodes) / h;
  p.end.node_velocities = p.node_velocities;
}

void predict_kinematic(const Body& body, const State& state, std::size_t i, double h, Prediction& p) {
  const BodyState& now = state.bodies[i];
  p.end.pose = pose_at(*body.motion, state.initial_poses[i], state.time + h);
  p.linear = (p.end.pose.position - now.pose.position) / h;
  p.angular = vector_from_rotation(p.end.pose.orientation * now.pose.orientation.conjugate()) / h;
  p.end.linear = p.linear;
  p.end.angular = p.angular;
  if (now.nodes.size() > 0) move_nodes(now, p.end.pose, h, p);
}

}  // namespace

std::vector<Prediction>& Predictor::predict(const Model& model, const State& state, const StepSettings& settings) {
  const double h = settings.step;
  if (settings.scheme == Scheme::moreau_jean) {
    midpoint_ = state;
    move_quarter_step(midpoint_, h);
    add_forces(model, midpoint_, h, global_, wrenches_, outside_);
  } else {
    add_forces(model, state, h, global_, wrenches_, outside_);
  }
  predictions_.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    Prediction& p = predictions_[i];
    p = Prediction{};
    if (body.mobility == Mobility::dynamic) {
      equations_of(body).predict(body, state.bodies[i], wrenches_[i], rule_of(settings), p);
    } else if (body.mobility == Mobility::kinematic) {
      predict_kinematic(body, state, i, h, p);
    } else if (state.bodies[i].nodes.size() > 0) {
      p.node_velocities.setZero(state.bodies[i].nodes.size());
    }
  }
  return predictions_;
}

}  // namespace cardhouse
