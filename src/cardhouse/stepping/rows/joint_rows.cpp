#include "cardhouse/stepping/rows/joint_rows.h"

#include <algorithm>
#include <cmath>

#include "cardhouse/model/joint_loops.h"
#include "cardhouse/stepping/rows/potential_rows.h"
#include "cardhouse/stepping/rows/spring_rows.h"

namespace cardhouse {
namespace {

/// rad/s: a joint in a closed loop is by default a spring that is as stiff as lets the masses it joins swing at this
/// rate. They sag by g/rate² = 0.2 µm under their own weight, and a loop that is off by a micrometre is strained by
/// no more than a few times their weight.
constexpr double loop_rate = 7e3;

/// The parts of the settings that the rows of joints depend on.
double gamma_of(const StepSettings& settings) {
  return settings.stabilisation == Stabilisation::gamma ? settings.gamma : 0.0;
}

/// The compliance c (m/N) of a spring with gamma Theta/h + Theta' + C r = 0: at rest Theta = −c r/h for C = gamma c/h².
/// Rows without Theta take the C of gamma = 1. They are no springs, but C still decides how redundant rows share a
/// load.
double row_compliance(double compliance, const StepSettings& settings) {
  const double gamma = gamma_of(settings);
  return (gamma > 0.0 ? gamma : 1.0) * compliance / (settings.step * settings.step);
}

Law law_of(Law::Kind kind) {
  Law law;
  law.kind = kind;
  return law;
}

Law bounded_law(double most) {
  Law law = law_of(Law::Kind::bounded);
  law.lower = -most;
  law.upper = most;
  return law;
}

/// b of a one-sided row (Anitescu 2003): the full gap while open, gamma times it when the limit is passed.
double limit_bias(double gap, const StepSettings& settings) {
  const double gamma = settings.stabilisation == Stabilisation::none ? 0.0 : settings.gamma;
  return (gap > 0.0 ? gap : gamma * gap) / settings.step;
}

JointRows coordinate_rows(int joint, int slot, const JointCoordinate& coordinate, double sign, const Law& law,
                          double bias) {
  JointRows rows;
  rows.joint = joint;
  rows.slot = slot;
  rows.rows = 1;
  rows.law = law;
  rows.b[0] = bias;
  rows.on_first.row(0) = sign * coordinate.on_first;
  rows.on_second.row(0) = sign * coordinate.on_second;
  return rows;
}

/// `most_speed` is that of a position target: at which it can still stop there.
JointRows motor_rows(int joint, int slot, const JointCoordinate& coordinate, double value, const JointMotor& motor,
                     double most_speed, double h) {
  const double reach = motor.value - value;
  double speed = motor.value;
  double compliance = 0.0;
  if (motor.is_spring()) {
    // r = h (k (reach − h s') − d s')  ⇔  s' − k reach/(h k + d) + r/(h (h k + d)) = 0
    const double drag = h * motor.stiffness + motor.damping;
    speed = motor.stiffness * reach / drag;
    compliance = 1.0 / (h * drag);
  } else if (motor.target == JointMotor::Target::position) {
    speed = std::copysign(most_speed, reach);
  }
  JointRows rows = coordinate_rows(joint, slot, coordinate, 1.0, bounded_law(h * motor.max_force), -speed);
  rows.compliance = compliance;
  return rows;
}

/// Rows of limits exist however far the limits are: no speed can jump them, and a row that is not reached costs next to
/// nothing.
void add_drive(int joint, int c, const JointCoordinate& coordinate, double value, const JointDrive& drive,
               double motor_speed, const StepSettings& settings, std::vector<JointRows>& rows) {
  const int slot = JointState::constraint_slots + c * JointState::drive_slots;
  const Law one_sided = law_of(Law::Kind::unilateral);
  if (drive.limits && std::isfinite(drive.limits->lower)) {
    const double bias = limit_bias(value - drive.limits->lower, settings);
    rows.push_back(coordinate_rows(joint, slot, coordinate, 1.0, one_sided, bias));
  }
  if (drive.limits && std::isfinite(drive.limits->upper)) {
    const double bias = limit_bias(drive.limits->upper - value, settings);
    rows.push_back(coordinate_rows(joint, slot + 1, coordinate, -1.0, one_sided, bias));
  }
  if (drive.motor) {
    rows.push_back(motor_rows(joint, slot + 2, coordinate, value, *drive.motor, motor_speed, settings.step));
  }
  if (drive.friction > 0.0) {
    const Law law = bounded_law(settings.step * drive.friction);
    rows.push_back(coordinate_rows(joint, slot + 3, coordinate, 1.0, law, 0.0));
  }
}

}  // namespace

double mobility_of(const Model& model, const Joint& joint, std::span<const Prediction> predictions,
                   const FrameRows& on_first, const FrameRows& on_second, int rows) {
  const auto mobility = [&](int i, const Stencil& stencil, const FrameRows& side) {
    if (i < 0 || model.bodies[i].mobility != Mobility::dynamic) return 0.0;
    return equations_of(model.bodies[i]).mobility(model.bodies[i], predictions[i], stencil, side, rows);
  };
  return mobility(joint.first, joint.stencil_first, on_first) + mobility(joint.second, joint.stencil_second, on_second);
}

JointRowBuilder::JointRowBuilder(const Model& model) : in_loop_(joints_in_loops(model)), braking_(model, in_loop_) {}

/// ≥ 0; 0 where there is no motor that asks for it.
double JointRowBuilder::motor_speed(const Model& model, const State& state, std::span<const Prediction> predictions,
                                    int joint, const JointGeometry& geometry, int c, double h) const {
  const std::optional<JointMotor>& motor = model.joints[joint].drives[c].motor;
  if (!motor || motor->target != JointMotor::Target::position || motor->is_spring()) return 0.0;
  const double reach = motor->value - state.joints[joint].coordinate[c];
  const double deceleration = braking_.deceleration(model, state, predictions, joint, geometry, c, motor->max_force,
                                                    std::copysign(1.0, reach), h);
  return std::min(motor->max_speed, braking_speed(std::abs(reach), deceleration, h));
}

const std::vector<JointRows>& JointRowBuilder::build(const Model& model, const State& state,
                                                     std::span<const Prediction> predictions,
                                                     const StepSettings& settings) {
  const double gamma = gamma_of(settings);
  rows_.clear();
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    const JointGeometry geometry = joint_geometry(joint, state);
    int slot = 0;
    for (int i = 0; i < geometry.constraint_count; ++i) {
      const JointConstraint& constraint = geometry.constraints[i];
      JointRows rows;
      rows.joint = j;
      rows.slot = slot;
      rows.rows = constraint.rows;
      rows.law = law_of(Law::Kind::equality);
      rows.b = gamma / settings.step * constraint.violation;
      rows.on_first = constraint.on_first;
      rows.on_second = constraint.on_second;
      const std::optional<double>& given = constraint.angular ? joint.angular_compliance : joint.compliance;
      const double by_default = in_loop_[j]
                                    ? mobility_of(model, joint, predictions, rows.on_first, rows.on_second, rows.rows) /
                                          (loop_rate * loop_rate)
                                    : 0.0;
      rows.compliance = row_compliance(given.value_or(by_default), settings);
      rows_.push_back(rows);
      slot += constraint.rows;
    }
    for (int c = 0; c < geometry.coordinate_count; ++c) {
      const double speed = motor_speed(model, state, predictions, j, geometry, c, settings.step);
      add_drive(j, c, geometry.coordinates[c], state.joints[j].coordinate[c], joint.drives[c], speed, settings, rows_);
    }
  }
  for (JointRows& rows : rows_) {
    rows.first = model.joints[rows.joint].first;
    rows.second = model.joints[rows.joint].second;
    rows.stencil_first = model.joints[rows.joint].stencil_first;
    rows.stencil_second = model.joints[rows.joint].stencil_second;
  }
  add_spring_rows(model, state, settings, rows_);
  indefinite_potentials_ = add_potential_rows(model, state, settings, rows_);
  return rows_;
}

}  // namespace cardhouse
