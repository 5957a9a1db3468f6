#include "cardhouse/stepping/rows/motor_braking.h"

#include <algorithm>
#include <cmath>

namespace cardhouse {
namespace {

/// Fraction of the computed deceleration that a motor plans with. In the step before the last, where s/h takes over,
/// braking_speed() falls by up to 9/8 of a h: from m a h to m (m − 1)/2 a h with 1 < m < 2.
constexpr double planned_part = 0.8;

/// Least planned fraction of what the force alone would give. Without it a motor that can hardly hold its load would
/// not move at all.
constexpr double least_braking_part = 0.1;

bool yields(const Model& model, int body) {
  return body >= 0 && model.bodies[body].mobility == Mobility::dynamic;
}

/// All that joints other than `without` connect with a body.
std::vector<int> hanging_on(const Model& model, int body, int without) {
  if (!yields(model, body)) return {};
  std::vector<int> found = {body};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
      const Joint& joint = model.joints[j];
      if (j == without || (joint.first != found[next] && joint.second != found[next])) continue;
      const int other = joint.first == found[next] ? joint.second : joint.first;
      if (!yields(model, other)) return {};
      if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
    }
  }
  return found;
}

bool has_position_target(const Joint& joint) {
  return std::any_of(joint.drives.begin(), joint.drives.end(), [](const JointDrive& drive) {
    return drive.motor && drive.motor->target == JointMotor::Target::position && !drive.motor->is_spring();
  });
}

/// A side that moves along a coordinate as one rigid body: its inertia, and what forces add to its momentum.
struct Carried {
  double inertia = 0.0;  ///< kg or kg m²
  double force = 0.0;    ///< N or N m
};

Carried carried_by(const Model& model, const State& state, std::span<const Prediction> predictions,
                   const std::vector<int>& side, const JointGeometry& geometry, const JointCoordinate& coordinate,
                   double h) {
  const Vec3 turning = coordinate.angular ? Vec3(coordinate.on_first.tail<3>()) : Vec3::Zero();
  Carried carried;
  for (const int i : side) {
    const BodyState& body = state.bodies[i];
    const Vec3 linear = coordinate.angular ? Vec3(turning.cross(body.pose.position - geometry.point))
                                           : Vec3(coordinate.on_first.head<3>());
    const Vec3 spin = predictions[i].inertia * turning;
    carried.inertia += model.bodies[i].mass * linear.squaredNorm() + turning.dot(spin);
    carried.force += (model.bodies[i].mass * linear.dot(predictions[i].linear - body.linear) +
                      spin.dot(predictions[i].angular - body.angular)) /
                     h;
  }
  return carried;
}

}  // namespace

double braking_speed(double reach, double deceleration, double h) {
  const double in_last_step = reach / h;
  if (!(deceleration > 0.0) || !std::isfinite(deceleration)) return in_last_step;
  const double lost = deceleration * h;
  return std::min(in_last_step, 0.5 * lost * (std::sqrt(1.0 + 8.0 * in_last_step / lost) - 1.0));
}

MotorBraking::MotorBraking(const Model& model, const std::vector<bool>& in_loop) : sides_(model.joints.size()) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    if (!has_position_target(joint)) continue;
    for (int end = 0; end < 2; ++end) {
      const int body = end == 0 ? joint.first : joint.second;
      if (!in_loop[j]) {
        sides_[j][end] = hanging_on(model, body, j);
      } else if (yields(model, body)) {
        sides_[j][end] = {body};
      }
    }
  }
}

double MotorBraking::deceleration(const Model& model, const State& state, std::span<const Prediction> predictions,
                                  int j, const JointGeometry& geometry, int coordinate, double max_force,
                                  double direction, double h) const {
  double mobility = 0.0;
  double along = 0.0;  // what other forces give the coordinate
  for (int end = 0; end < 2; ++end) {
    const Carried carried =
        carried_by(model, state, predictions, sides_[j][end], geometry, geometry.coordinates[coordinate], h);
    if (!(carried.inertia > 0.0)) continue;
    mobility += 1.0 / carried.inertia;
    along += (end == 0 ? 1.0 : -1.0) * carried.force / carried.inertia;
  }
  const double by_force = max_force * mobility;
  return planned_part * std::max(by_force - direction * along, least_braking_part * by_force);
}

}  // namespace cardhouse
