// A gripper whose fingers slide on a palm, each pushed by a motor of limited force. The palm follows its course: it
// waits while the fingers close, lifts, and shakes up and down or sideways. Sideways is across the direction in which
// the first finger closes: along it force-limited motors hold nothing in place. docs/scenes.md derives which friction
// holds the object.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double half_size = 0.03;          // m: half the object's width between the fingers
constexpr double opening = 0.02;            // m: between a finger and the object at the start
constexpr double closing_time = 0.5;        // s: until the palm lifts
constexpr double lift_height = 0.2;         // m
constexpr double lift_time = 1.0;           // s: at most 2 pi lift_height/time² = 1.26 m/s² of acceleration
const Vec3 finger_half(0.005, 0.02, 0.02);  // m: clear of the ground, and level with the object's centre

/// A finger's direction of closing, the place across it, and its part of the gripping force.
struct Finger {
  Vec3 inward = Vec3::UnitX();
  double across = 0.0;  // m
  double part = 1.0;
};

/// Two fingers face each other. Three stand around a round object; of a box, two share one of the sides.
std::vector<Finger> fingers_of(int count, bool box) {
  if (count == 2) return {{Vec3::UnitX(), 0.0, 1.0}, {-Vec3::UnitX(), 0.0, 1.0}};
  if (box) {
    const double apart = 0.5 * half_size;
    return {{Vec3::UnitX(), 0.0, 1.0}, {-Vec3::UnitX(), apart, 0.5}, {-Vec3::UnitX(), -apart, 0.5}};
  }
  std::vector<Finger> fingers;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 3.0;
    fingers.push_back({Vec3(std::cos(angle), std::sin(angle), 0.0), 0.0, 1.0});
  }
  return fingers;
}

/// The object and the height of its centre above the ground.
struct Thing {
  Body body;
  Pose pose;
};

Thing thing_of(const std::string& kind, int fingers, double mass) {
  const auto of_mass = [&](const Geometry& geometry) {
    Body body = solid("object", geometry, 1.0);
    return solid("object", geometry, mass / body.mass);
  };
  if (kind == "box") return {of_mass(Box{Vec3::Constant(half_size)}), {Vec3(0.0, 0.0, half_size), Quat::Identity()}};
  if (kind == "ball") return {of_mass(Sphere{half_size}), {Vec3(0.0, 0.0, half_size), Quat::Identity()}};
  const Capsule capsule{half_size, half_size};
  // Between two fingers it lies along them; three hold it upright.
  if (fingers == 3) return {of_mass(capsule), {Vec3(0.0, 0.0, 2.0 * half_size), Quat::Identity()}};
  const Quat lying = rotation_from_vector(Vec3(0.5 * std::numbers::pi, 0.0, 0.0));
  return {of_mass(capsule), {Vec3(0.0, 0.0, half_size), lying}};
}

void add_finger(Scene& scene, int palm, const Finger& finger, int index, double height, double force, double width) {
  const Vec3 side = Vec3::UnitZ().cross(finger.inward);
  const double away = half_size + opening + finger_half.x();
  const Quat turn = rotation_from_vector(Vec3(0.0, 0.0, std::atan2(finger.inward.y(), finger.inward.x())));
  const Vec3 place = -away * finger.inward + finger.across * side + Vec3(0.0, 0.0, height);
  const Vec3 half(finger_half.x(), std::min(finger_half.y(), width), finger_half.z());
  const int body = add(scene, solid(fmt::format("finger_{}", index), Box{half}, 2000.0), {place, turn});
  Joint joint;
  joint.name = fmt::format("slide_{}", index);
  joint.kind = JointKind::slider;
  joint.first = body;
  joint.second = palm;
  place_joint(joint, scene.initial, place, finger.inward);
  joint.drives[0].limits = JointLimits{0.0, opening + half_size};
  joint.drives[0].motor =
      JointMotor{.target = JointMotor::Target::velocity, .value = 0.1, .max_force = finger.part * force};
  scene.model.joints.push_back(joint);
}

Scene grasp(const Parameters& p) {
  const int count = p.integer("fingers");
  const std::string& kind = p.choice("object");
  const Vec3 shake = p.number("shake") * (p.choice("direction") == "vertical" ? Vec3::UnitZ() : Vec3::UnitY());
  const double frequency = p.number("frequency");
  Scene scene = start_scene(p,
                            "Fingers close on an object with limited force, lift it and shake it. It is held while "
                            "mu times the sum of the fingers' forces exceeds the mass times g plus the acceleration; "
                            "of two fingers that shake it sideways, times the root of the sum of their squares.",
                            p.number("mu"));
  add_ground(scene, Vec3(0.5, 0.5, 0.05));
  const Thing thing = thing_of(kind, count, p.number("mass"));
  const double height = thing.pose.position.z();
  Body palm = still("palm", Box{Vec3(0.08, 0.08, 0.01)});
  palm.mobility = Mobility::kinematic;
  palm.motion = LiftAndShake{.displacement = Vec3(0.0, 0.0, lift_height),
                             .start = closing_time,
                             .time = lift_time,
                             .amplitude = shake,
                             .frequency = frequency,
                             .shake_start = closing_time + lift_time};
  const int base = add(scene, palm, {Vec3(0.0, 0.0, height + finger_half.z() + 0.06), Quat::Identity()});
  const int object = add(scene, thing.body, thing.pose);
  const std::vector<Finger> fingers = fingers_of(count, kind == "box");
  // Two that share a side must not meet.
  const double width = count == 3 && kind == "box" ? 0.4 * half_size : finger_half.y();
  for (std::size_t i = 0; i < fingers.size(); ++i) {
    add_finger(scene, base, fingers[i], static_cast<int>(i), height, p.number("force"), width);
  }
  scene.duration = closing_time + lift_time + 2.0;
  // Held: against the palm the object stays where it was gripped, but for a tenth of its size.
  scene.stands =
      StandsRule{.bodies = {object}, .max_displacement = 0.2 * half_size, .after = closing_time, .relative_to = base};
  return scene;
}

}  // namespace

SceneDefinition grasp_definition() {
  return {
      "grasp",
      "a gripper closes on an object, lifts it and shakes it",
      {integer("fingers", "2", 2, 3, "of the gripper"), choice("object", {"box", "capsule", "ball"}, "what it grips"),
       number("mu", "0.7", "-", 0.0, 10.0, "coefficient of friction"),
       number("mass", "0.2", "kg", 0.001, 100.0, "of the object"),
       number("force", "4", "N", 0.01, 10000.0, "of one finger; two that share a side of the box halve it"),
       number("shake", "0.01", "m", 0.0, 0.1, "amplitude of the shaking"),
       number("frequency", "2", "Hz", 0.1, 20.0, "of the shaking"),
       choice("direction", {"vertical", "sideways"}, "of the shaking")},
      grasp};
}

}  // namespace cardhouse::scenes
