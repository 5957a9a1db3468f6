#include "cardhouse/io/joint_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/io/body_reader.h"
#include "cardhouse/io/scene_keys.h"
#include "cardhouse/model/model.h"

namespace cardhouse {
namespace {

JointLimits read_limits(const JsonReader& entry) {
  entry.expect_object(scene_keys::joint_limits);
  JointLimits limits;
  if (const auto lower = entry.find("lower")) limits.lower = lower->number("m or rad");
  if (const auto upper = entry.find("upper")) limits.upper = upper->number("m or rad");
  if (limits.lower > limits.upper) entry.fail("the lower limit must not exceed the upper one");
  return limits;
}

JointMotor read_motor(const JsonReader& entry) {
  entry.expect_object(scene_keys::joint_motor);
  JointMotor motor;
  if (entry.has("velocity") == entry.has("position")) {
    entry.fail_without_value("needs either \"velocity\" or \"position\"");
  }
  if (const auto velocity = entry.find("velocity")) motor.value = velocity->number("m/s or rad/s");
  if (const auto position = entry.find("position")) {
    motor.target = JointMotor::Target::position;
    motor.value = position->number("m or rad");
  }
  for (const std::string_view key : {"max_speed", "stiffness", "damping"}) {
    if (entry.has(key) && entry.has("velocity")) entry.at(key).fail("is for a motor with a \"position\": remove it");
  }
  if (const auto force = entry.find("max_force")) motor.max_force = force->number("N or N m", Range::not_negative);
  if (const auto speed = entry.find("max_speed")) motor.max_speed = speed->number("m/s or rad/s", Range::positive);
  if (const auto k = entry.find("stiffness")) motor.stiffness = k->number("N/m or N m/rad", Range::not_negative);
  if (const auto d = entry.find("damping")) motor.damping = d->number("N s/m or N m s/rad", Range::not_negative);
  return motor;
}

JointDrive read_drive(const JsonReader& entry) {
  JointDrive drive;
  if (const auto limits = entry.find("limits")) drive.limits = read_limits(*limits);
  if (const auto motor = entry.find("motor")) drive.motor = read_motor(*motor);
  if (const auto friction = entry.find("friction")) drive.friction = friction->number("N or N m", Range::not_negative);
  return drive;
}

Pose read_frame(const JsonReader& entry) {
  entry.expect_object(scene_keys::joint_frame);
  Pose frame;
  if (const auto position = entry.find("position")) frame.position = position->vec3("m");
  if (const auto orientation = entry.find("orientation")) frame.orientation = orientation->quaternion();
  return frame;
}

/// Where a joint's end is in the world. Nodes hold the point that their weights give, which need not be said again.
Vec3 read_anchor(const JsonReader& entry, std::string_view key, int body, const Stencil& stencil, const State& state) {
  if (stencil.count == 0) return entry.at(key).vec3("m");
  const Vec3 held = origin_of(state.bodies[static_cast<std::size_t>(body)], stencil);
  const auto given = entry.find(key);
  if (given && (given->vec3("m") - held).norm() > rounding_of_offsets) {
    given->fail(fmt::format("nodes hold the point that their weights give, [{}, {}, {}]: remove it", held.x(), held.y(),
                            held.z()));
  }
  return held;
}

/// Of a joint with one anchor: where the first end is, unless only the second one has nodes.
Vec3 read_common_anchor(const JsonReader& entry, const State& state, const Joint& joint) {
  if (joint.stencil_second.count > 0) {
    const Vec3 second = read_anchor(entry, "anchor", joint.second, joint.stencil_second, state);
    if (joint.stencil_first.count == 0) return second;
  }
  return read_anchor(entry, "anchor", joint.first, joint.stencil_first, state);
}

Vec3 in_body(int body, const Stencil& stencil, const State& state, const Vec3& world) {
  return body < 0 ? world : frame_at(state.bodies[static_cast<std::size_t>(body)], stencil).apply_inverse(world);
}

/// Where a distance joint's two points are in the world.
void read_points(const JsonReader& entry, const State& state, Joint& joint) {
  const Vec3 first = read_anchor(entry, "anchor_first", joint.first, joint.stencil_first, state);
  const Vec3 second = read_anchor(entry, "anchor_second", joint.second, joint.stencil_second, state);
  joint.frame_first.position = in_body(joint.first, joint.stencil_first, state, first);
  joint.frame_second.position = in_body(joint.second, joint.stencil_second, state, second);
  joint.length = (first - second).norm();
}

void refuse(const JsonReader& entry, std::initializer_list<std::string_view> keys, const std::string& why) {
  for (const std::string_view key : keys) {
    if (entry.has(key)) entry.at(key).fail(why);
  }
}

/// Either two frames in the bodies, or a place in the world where the bodies are now.
void read_place(const JsonReader& entry, const State& state, Joint& joint) {
  if (entry.has("frame_first") || entry.has("frame_second")) {
    refuse(entry, {"anchor", "axis", "second_axis", "anchor_first", "anchor_second"},
           "can't be given beside \"frame_first\" and \"frame_second\": remove it or them");
    joint.frame_first = read_frame(entry.at("frame_first"));
    joint.frame_second = read_frame(entry.at("frame_second"));
    return;
  }
  if (joint.kind == JointKind::distance) {
    refuse(entry, {"anchor", "axis", "second_axis"}, "a distance joint has \"anchor_first\" and \"anchor_second\"");
    read_points(entry, state, joint);
    return;
  }
  refuse(entry, {"anchor_first", "anchor_second"}, "is for distance joints; others have one \"anchor\"");
  const bool has_axis =
      joint.kind != JointKind::fixed && joint.kind != JointKind::ball && joint.kind != JointKind::revolute;
  if (!has_axis) refuse(entry, {"axis"}, "this type of joint has no axis to choose: remove it");
  if (joint.kind != JointKind::universal) refuse(entry, {"second_axis"}, "is for universal joints: remove it");
  const Vec3 axis = has_axis ? entry.at("axis").unit_vector() : Vec3(Vec3::UnitZ());
  Vec3 second_axis = Vec3::Zero();
  if (joint.kind == JointKind::universal) {
    const JsonReader given = entry.at("second_axis");
    second_axis = given.unit_vector();
    if (std::abs(second_axis.dot(axis)) > 1e-6) given.fail("must be perpendicular to \"axis\"");
  }
  place_joint(joint, state, read_common_anchor(entry, state, joint), axis, second_axis);
  if (joint.stencil_second.count > 0) joint.frame_second.position.setZero();
}

}  // namespace

Joint read_joint(const JsonReader& entry, int index, const std::function<int(const JsonReader&, bool)>& body_index,
                 const State& state) {
  entry.expect_any_object();
  refuse(entry, {"point_first", "point_second"},
         "is for springs: joints have \"anchor\", or \"anchor_first\" and \"anchor_second\"");
  entry.expect_object(scene_keys::joint);
  Joint joint;
  joint.name = fmt::format("joint_{}", index);
  if (const auto name = entry.find("name")) joint.name = name->text();
  joint.kind = JointKind{static_cast<int>(entry.at("type").choice(scene_keys::joint_types))};
  joint.first = body_index(entry.at("first"), false);
  joint.second = body_index(entry.at("second"), true);
  if (const auto nodes = entry.find("nodes_first")) joint.stencil_first = read_stencil(*nodes, joint.first, state);
  if (const auto nodes = entry.find("nodes_second")) joint.stencil_second = read_stencil(*nodes, joint.second, state);
  joint.drives[0] = read_drive(entry);
  if (const auto drive = entry.find("second_drive")) {
    drive->expect_object(scene_keys::joint_drive);
    joint.drives[1] = read_drive(*drive);
  }
  read_place(entry, state, joint);
  if (const auto length = entry.find("length")) {
    if (joint.kind != JointKind::distance) length->fail("is for distance joints: remove it", "m");
    joint.length = length->number("m", Range::positive);
  }
  if (const auto collide = entry.find("collide")) joint.collide = collide->boolean();
  if (const auto c = entry.find("compliance")) joint.compliance = c->number("m/N", Range::not_negative);
  if (const auto c = entry.find("angular_compliance")) {
    joint.angular_compliance = c->number("rad/(N m)", Range::not_negative);
  }
  return joint;
}

}  // namespace cardhouse
