#include "cardhouse/model/joint.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/limits.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"

namespace cardhouse {
namespace {

[[noreturn]] void refuse_joint(const std::string& path, const std::string& value, const std::string& rule) {
  throw InputError(fmt::format("{} = {}: {}", path, value, rule));
}

/// For what may also be infinite, which stands for "none".
void check_unless_infinite(const std::string& path, double value, const limits::Bound& bound) {
  if (!std::isinf(value)) limits::check(path, value, bound);
}

/// Bounds of a coordinate and of what acts along it: angles count as lengths, with the wider bounds of these.
constexpr limits::Bound coordinate{"m or rad", limits::length.least, limits::length.most, limits::length.reason};
constexpr limits::Bound coordinate_force{"N or N m", limits::torque.least, limits::torque.most, limits::torque.reason};
constexpr limits::Bound coordinate_speed{"m/s or rad/s", limits::angular_speed.least, limits::angular_speed.most,
                                         limits::angular_speed.reason};

void check_frame(const std::string& path, const Pose& frame) {
  limits::check_position(path + ".position", frame.position);
  if (!(std::abs(frame.orientation.norm() - 1.0) < 1e-6)) {
    refuse_joint(path + ".orientation", fmt::format("norm {}", frame.orientation.norm()), "must be a unit quaternion");
  }
}

void check_ends(const std::string& path, const Model& model, const Joint& joint) {
  const int count = static_cast<int>(model.bodies.size());
  if (joint.first < 0 || joint.first >= count)
    refuse_joint(path + ".first", std::to_string(joint.first), "no such body");
  if (joint.second < -1 || joint.second >= count)
    refuse_joint(path + ".second", std::to_string(joint.second), "no such body");
  if (joint.first == joint.second) throw InputError(path + ": joins a body with itself");
  const auto moves = [&](int body) { return body >= 0 && model.bodies[body].mobility == Mobility::dynamic; };
  if (!moves(joint.first) && !moves(joint.second)) {
    throw InputError(path + ": joins two bodies that can't move; at least one must be dynamic");
  }
}

void check_kind_of_body(const std::string& path, const Joint& joint, const Body& body) {
  if (body.mobility != Mobility::dynamic || joint.kind == JointKind::distance) return;
  const BodyEquations& equations = equations_of(body);
  const bool planar_body = equations.in_plane();
  if (planar_body != is_planar(joint.kind)) {
    throw InputError(fmt::format("{}: body \"{}\" is {}: {}", path, body.name, planar_body ? "planar" : "not planar",
                                 planar_body ? "it takes revolute, prismatic and distance joints"
                                             : "revolute and prismatic joints are for planar bodies"));
  }
  if (!equations.turns() && joint.kind != JointKind::ball) {
    throw InputError(fmt::format("{}: body \"{}\" does not turn: it takes ball and distance joints", path, body.name));
  }
}

/// A planar joint turns about the world's y axis and lies in its plane.
void check_frame_in_plane(const std::string& path, const Pose& frame) {
  constexpr double rounding = 1e-9;  // m and (−)
  if (std::abs(frame.position.y()) > rounding || std::abs(frame.orientation.x()) > rounding ||
      std::abs(frame.orientation.z()) > rounding) {
    throw InputError(path + ": must lie in the x–z plane: y = 0 and a turn about y, as its bodies are planar");
  }
}

void check_motor(const std::string& path, const JointMotor& motor) {
  limits::check(path + ".value", motor.value, coordinate);
  if (!(motor.max_force >= 0.0)) refuse_joint(path + ".max_force", fmt::format("{}", motor.max_force), "must be ≥ 0");
  if (!(motor.max_speed > 0.0)) refuse_joint(path + ".max_speed", fmt::format("{}", motor.max_speed), "must be > 0");
  check_unless_infinite(path + ".max_force", motor.max_force, coordinate_force);
  check_unless_infinite(path + ".max_speed", motor.max_speed, coordinate_speed);
  limits::check_not_negative(path + ".stiffness", motor.stiffness, limits::stiffness);
  limits::check_not_negative(path + ".damping", motor.damping, limits::damping);
  const bool spring = motor.stiffness > 0.0 || motor.damping > 0.0;
  if (spring && motor.target == JointMotor::Target::velocity) {
    throw InputError(path + ": stiffness and damping are for a motor with a position target");
  }
}

void check_drive(const std::string& path, const JointDrive& drive) {
  if (drive.limits) {
    const JointLimits& limits = *drive.limits;
    if (!(limits.lower <= limits.upper)) {
      refuse_joint(path + ".limits", fmt::format("[{}, {}]", limits.lower, limits.upper),
                   "the lower must not exceed the upper");
    }
    check_unless_infinite(path + ".limits.lower", limits.lower, coordinate);
    check_unless_infinite(path + ".limits.upper", limits.upper, coordinate);
  }
  if (drive.motor) check_motor(path + ".motor", *drive.motor);
  limits::check_not_negative(path + ".friction", drive.friction, coordinate_force);
}

void check_drives(const std::string& path, const Joint& joint) {
  const int count = coordinate_count(joint);
  for (int c = 0; c < most_joint_coordinates; ++c) {
    const std::string place = c == 0 ? path : path + ".second_drive";
    if (c < count) {
      check_drive(place, joint.drives[c]);
    } else if (joint.drives[c].acts()) {
      throw InputError(place + ": this kind of joint has no such coordinate for limits, a motor or friction");
    }
  }
}

void check_length(const std::string& path, const Joint& joint) {
  if (joint.kind != JointKind::distance) return;
  const auto& limits = joint.drives[0].limits;
  if (limits && limits->lower < 0.0) {
    refuse_joint(path + ".limits", fmt::format("[{}, {}] m", limits->lower, limits->upper), "a length must be ≥ 0");
  }
  if (!limits) limits::check_positive(path + ".length", joint.length, limits::length);
}

/// These joints' rows also hold when an axis points the wrong way round, an error that no step would correct.
void check_axes(const std::string& path, const Joint& joint, const State& state) {
  if (joint.kind != JointKind::hinge) return;
  const Vec3 first = joint_frame_first(joint, state).orientation * Vec3::UnitZ();
  const Vec3 second = joint_frame_second(joint, state).orientation * Vec3::UnitZ();
  if (first.dot(second) < 0.0) throw InputError(path + ": the z axes of its two frames point away from each other");
}

/// Two unit vectors across `axis`; the first is as near to `x` as it can be.
Quat frame_along(const Vec3& axis, const Vec3& x) {
  Mat3 columns;
  columns.col(2) = axis.normalized();
  Vec3 across = x - x.dot(columns.col(2)) * columns.col(2);
  if (across.norm() < 1e-6) {
    Eigen::Index least = 0;
    columns.col(2).cwiseAbs().minCoeff(&least);
    across = Vec3::Unit(least) - columns(least, 2) * columns.col(2);
  }
  columns.col(0) = across.normalized();
  columns.col(1) = columns.col(2).cross(columns.col(0));
  return Quat(columns).normalized();
}

/// A frame in the x–z plane whose z axis is along `axis`.
Quat planar_frame_along(const Vec3& axis) {
  return rotation_from_vector(Vec3(0.0, std::atan2(axis.x(), axis.z()), 0.0));
}

Pose local_frame(int body, const Stencil& stencil, const State& state, const Pose& world) {
  if (body < 0) return world;
  const Pose pose = frame_at(state.bodies[body], stencil);
  Vec3 offset = pose.apply_inverse(world.position);
  if (stencil.count > 0 && offset.norm() <= rounding_of_offsets) offset.setZero();
  return {offset, (pose.orientation.conjugate() * world.orientation).normalized()};
}

}  // namespace

bool is_planar(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::prismatic;
}

int coordinate_count(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::fixed:
    case JointKind::ball:
      return 0;
    case JointKind::universal:
      return 2;
    case JointKind::distance:
      return joint.drives[0].limits ? 1 : 0;
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::revolute:
    case JointKind::prismatic:
      break;
  }
  return 1;
}

bool is_angle(JointKind kind, int) {
  return kind == JointKind::hinge || kind == JointKind::universal || kind == JointKind::revolute;
}

void place_joint(Joint& joint, const State& state, const Vec3& anchor, const Vec3& axis, const Vec3& second_axis) {
  const Quat turn = is_planar(joint.kind) ? planar_frame_along(axis) : frame_along(axis, second_axis);
  joint.frame_first = local_frame(joint.first, joint.stencil_first, state, {anchor, turn});
  joint.frame_second = local_frame(joint.second, joint.stencil_second, state, {anchor, turn});
}

void check_joint(const Model& model, const State& state, int index) {
  const std::string path = fmt::format("joints[{}]", index);
  const Joint& joint = model.joints[index];
  check_ends(path, model, joint);
  check_stencil(path + ".nodes_first", model, joint.first, joint.stencil_first);
  check_stencil(path + ".nodes_second", model, joint.second, joint.stencil_second);
  check_frame(path + ".frame_first", joint.frame_first);
  check_frame(path + ".frame_second", joint.frame_second);
  check_offset(path + ".frame_first.position", joint.stencil_first, joint.frame_first.position);
  check_offset(path + ".frame_second.position", joint.stencil_second, joint.frame_second.position);
  check_kind_of_body(path, joint, model.bodies[joint.first]);
  if (joint.second >= 0) check_kind_of_body(path, joint, model.bodies[joint.second]);
  if (is_planar(joint.kind)) {
    check_frame_in_plane(path + ".frame_first", joint.frame_first);
    check_frame_in_plane(path + ".frame_second", joint.frame_second);
  }
  check_drives(path, joint);
  check_length(path, joint);
  if (joint.compliance) limits::check_not_negative(path + ".compliance", *joint.compliance, limits::compliance);
  if (joint.angular_compliance) {
    limits::check_not_negative(path + ".angular_compliance", *joint.angular_compliance, limits::angular_compliance);
  }
  check_axes(path, joint, state);
}

}  // namespace cardhouse
