// Scenes and states made by hand, with every feature of the file formats in them.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::testing {

inline Body make_body(const std::string& name, Shape shape, double mass = 1.0) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.inertia = Vec3(0.1, 0.2, 0.25).asDiagonal();
  body.shapes = {std::move(shape)};
  return body;
}

inline void add_body(Scene& scene, Body body, const BodyState& state = {}) {
  scene.model.bodies.push_back(std::move(body));
  scene.initial.bodies.push_back(state);
  scene.initial.initial_poses.push_back(state.pose);
}

/// A box on a floor: the smallest scene with a contact.
inline Scene small_scene() {
  Scene scene;
  scene.name = "small";
  Body floor = make_body("floor", {HalfSpace{Vec3::UnitZ()}, {}, 0}, 0.0);
  floor.mobility = Mobility::fixed;
  floor.inertia.setZero();
  add_body(scene, floor);
  BodyState state;
  state.pose.position = Vec3(0.0, 0.0, 0.5);
  add_body(scene, make_body("box", {Box{Vec3(0.5, 0.5, 0.5)}, {}, 0}), state);
  return scene;
}

inline void add_spatial_bodies(Scene& scene) {
  Pose tilted{Vec3(0.1, -0.0, 1.0 / 3.0), rotation_from_vector(Vec3(0.3, -0.7, 0.2))};
  BodyState state{tilted, Vec3(0.1, 0.2, 1e-300), Vec3(-0.0, 3.0, 1e11)};
  add_body(scene, make_body("sphere \"quoted\"\n", {Sphere{0.1}, tilted, 1}), state);
  Body box = make_body("box", {Box{Vec3(0.1, 0.2, 1.0 / 7.0)}, {}, 0});
  box.inertia << 1.0, 0.1, -0.02, 0.1, 1.1, 0.003, -0.02, 0.003, 1.3;
  box.linear_damping = 0.1;
  box.angular_damping = 0.2;
  box.force = Vec3(1.0, 2.0, 3.0);
  box.torque = Vec3(0.0, -0.0, 0.5);
  add_body(scene, box, state);
  Body compound = make_body("compound", {Capsule{0.1, 0.3}, tilted, 0});
  compound.shapes.push_back({Cylinder{0.2, 0.4}, {}, 1});
  const std::vector<Vec3> points = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}, {0.3, 0.3, 0.3}, {0.1, 0.1, 0.1}};
  compound.shapes.push_back({Polytope{std::make_shared<const Hull>(hull_of_points(points))}, {}, 0});
  add_body(scene, compound);
}

inline void add_planar_bodies(Scene& scene) {
  const auto add = [&](const std::string& name, Geometry geometry) {
    Body body = make_body(name, {std::move(geometry), {}, 0});
    body.kind = BodyKind::planar;
    body.inertia = Vec3(0.0, 0.37, 0.0).asDiagonal();
    BodyState state;
    state.pose.orientation = rotation_from_vector(Vec3(0.0, 0.3, 0.0));
    add_body(scene, body, state);
  };
  add("disk", Disk{0.5});
  add("ellipse", Ellipse{0.5, 0.25});
  add("polygon", Polygon{{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}});
}

inline void add_immobile_bodies(Scene& scene) {
  const auto add = [&](const std::string& name, Geometry geometry, std::optional<Motion> motion) {
    Body body = make_body(name, {std::move(geometry), {}, 0}, 0.0);
    body.inertia.setZero();
    body.mobility = motion ? Mobility::kinematic : Mobility::fixed;
    body.motion = motion;
    add_body(scene, body);
  };
  add("ramp", HalfSpace{Vec3(-0.6, 0.0, 0.8)}, std::nullopt);
  add("line", Segment{Vec2(-1, 0), Vec2(1, 0.25)}, std::nullopt);
  add("belt", Box{Vec3(1, 1, 0.1)}, ConstantVelocity{Vec3(0.1, 0, 0), Vec3(0, 0, 0.3)});
  add("shaker", Box{Vec3(1, 1, 0.1)}, Shaking{Vec3(0.01, 0, 0), 5.0, 0.25});
  add("table", Box{Vec3(1, 1, 0.1)}, Tilting{Vec3::UnitY(), Vec3(1, 0, 0), 0.05, 0.5, 1.25});
  add("palm", Box{Vec3(1, 1, 0.1)}, LiftAndShake{Vec3(0, 0, 0.2), 0.5, 1.0 / 3.0, Vec3(0.01, 0, 0), 7.0, 1.5});
}

/// Every type of joint and all that can act on one.
inline void add_joints(Scene& scene) {
  const auto add = [&](JointKind kind, int first, int second) -> Joint& {
    Joint joint;
    joint.name = "joint " + std::to_string(scene.model.joints.size());
    joint.kind = kind;
    joint.first = first;
    joint.second = second;
    const double tilt = is_planar(kind) ? 0.0 : 1.0 / 3.0;
    joint.frame_first = {Vec3(0.1, 0.0, 1.0 / 7.0), rotation_from_vector(Vec3(tilt, 0.3, 0.0))};
    joint.frame_second = {Vec3(-0.2, 0.0, 1e-300), rotation_from_vector(Vec3(tilt, 0.2, 0.0))};
    scene.model.joints.push_back(joint);
    return scene.model.joints.back();
  };
  add(JointKind::fixed, 0, -1).collide = true;
  add(JointKind::ball, 1, 0).compliance = 1.0 / 3.0;
  Joint& hinge = add(JointKind::hinge, 0, 1);
  hinge.frame_second.orientation = (scene.initial.bodies[1].pose.orientation.conjugate() *
                                    scene.initial.bodies[0].pose.orientation * hinge.frame_first.orientation)
                                       .normalized();
  hinge.drives[0] = {JointLimits{-1.0 / 3.0, 2.0}, JointMotor{.value = 0.1, .max_force = 1e-3}, 0.25};
  Joint& slider = add(JointKind::slider, 2, 1);
  slider.drives[0].motor = JointMotor{JointMotor::Target::position, 0.1, 5.0, 2.0, 100.0, 1.5};
  slider.drives[0].limits = JointLimits{.upper = 0.5};
  slider.angular_compliance = 1e-5;
  add(JointKind::universal, 2, -1).drives[1] = {JointLimits{-0.5, 0.5}, std::nullopt, 0.1};
  add(JointKind::distance, 0, 2).length = 0.7;
  add(JointKind::revolute, 3, 4);
  add(JointKind::prismatic, 5, -1);
}

/// Everything that a scene can hold, with numbers that test the last bit.
inline Scene full_scene() {
  Scene scene;
  scene.name = "full – with ünicode";
  scene.description = "two\nlines";
  scene.parameters = {{"levels", "4"}, {"mu", "0.8"}};
  scene.settings.step = 1.0 / 300.0;
  scene.settings.scheme = Scheme::moreau_jean;
  scene.settings.tolerance = 1.0 / 3.0 * 1e-9;
  scene.settings.max_iterations = 77;
  scene.settings.margin = 0.003;
  scene.duration = 2.5;
  scene.model.gravity = Vec3(0.1, -0.0, -9.80665);
  scene.model.friction = {true, 12};
  scene.model.materials = {{"wood", 0.1 + 0.2, 0.25, std::nullopt}, {"steel", 0.3, 0.5, std::nullopt}};
  scene.model.material_pairs = {{0, 1, 1.0 / 3.0, 0.9}};
  add_spatial_bodies(scene);
  add_planar_bodies(scene);
  add_immobile_bodies(scene);
  Body bead = make_body("bead", {Sphere{0.01}, {}, 0});
  bead.kind = BodyKind::particle;
  bead.inertia.setZero();
  bead.axes = {true, false, true};
  add_body(scene, bead);
  scene.model.springs = {{0, 1, Vec3(0, 0, 0.1), Vec3(0.1, 0, 0), 100.0, 0.5, 1.5},
                         {1, -1, {0, 0, 0}, {0, 0, 2}, 10.0}};
  scene.model.bodies[0].charge = -1.0 / 3.0;
  scene.model.global_forces = {6.6743e-11, 1.0 / 7.0, 0.01, 0.3, 77};
  scene.settings.stabilisation = Stabilisation::sqp;
  scene.settings.gamma = 1.0 / 3.0;
  scene.settings.initial_overlaps = InitialOverlaps::separate;
  scene.settings.restitution = Restitution::lagged;
  scene.settings.adaptive = Adaptive::error;
  scene.settings.least_step = 1.0 / 30000.0;
  scene.settings.error_tolerance = 1.0 / 7e5;
  add_joints(scene);
  scene.stands = StandsRule{{0, 2}, 0.02, 1.0, 1};
  return scene;
}

/// A state of the scene after some steps, with numbers that no text would keep.
inline State state_after(const Scene& scene, std::int64_t step, double h) {
  State state = scene.initial;
  state.step = step;
  state.time = static_cast<double>(step) * h;
  for (BodyState& body : state.bodies) {
    body.pose.position += Vec3(std::sin(state.time), 1e-17, 1e-3 * std::cos(state.time));
    body.pose.orientation = rotation_from_vector(Vec3(0.1, state.time, -0.2)) * body.pose.orientation;
    body.linear = Vec3(-0.0, state.time / 3.0, 5e-324);
  }
  state.joints.resize(scene.model.joints.size());
  for (std::size_t j = 0; j < state.joints.size(); ++j) {
    for (std::size_t i = 0; i < JointState::slots; ++i) {
      state.joints[j].impulse[i] = state.time / 3.0 + static_cast<double>(i * j);
    }
    state.joints[j].coordinate = {1e-17 * state.time, -30.0 - static_cast<double>(j)};
  }
  for (int i = 0; i < 4; ++i) {
    state.impulses.push_back(
        {{0, 1, 0x8000000000000000U + static_cast<std::uint64_t>(i)}, Vec3(0.0, 1e-9, state.time)});
  }
  return state;
}

inline std::vector<JointRecord> joints_of(const State& state) {
  std::vector<JointRecord> records;
  for (const JointState& joint : state.joints) {
    JointRecord record;
    record.point = Vec3(state.time, -0.0, 1.0 / 3.0);
    record.impulse = Vec3(0.1, state.time, 5e-324);
    record.torque = Vec3(0.2, 0.3, state.time);
    record.drive = {state.time, -1e-9};
    record.coordinate = joint.coordinate;
    record.violation = {1e-9, 2e-9 * state.time};
    record.residual = 1e-11;
    records.push_back(record);
  }
  return records;
}

inline std::vector<ContactRecord> contacts_of(const State& state) {
  std::vector<ContactRecord> contacts;
  if (state.bodies.empty()) return contacts;
  for (const StoredImpulse& stored : state.impulses) {
    ContactRecord contact;
    contact.key = stored.key;
    contact.body_b = 1;
    contact.island = 0;
    contact.point = Vec3(0.1, 0.2, state.time);
    contact.normal = Vec3::UnitZ();
    contact.impulse = stored.impulse;
    contact.velocity = Vec3(0.0, -0.0, 1e-12);
    contact.gap = -1e-9;
    contact.mu = 0.8;
    contact.residual = 1e-11;
    contact.mode = ContactMode{static_cast<std::uint8_t>(stored.key.feature % 3)};
    contacts.push_back(contact);
  }
  return contacts;
}

inline bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <typename A, typename B>
bool same_bits(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (!same_bits(a.derived().coeff(i), b.derived().coeff(i))) return false;
  }
  return true;
}

inline bool same_bits(const Pose& a, const Pose& b) {
  return same_bits(a.position, b.position) && same_bits(a.orientation.coeffs(), b.orientation.coeffs());
}

inline bool same_bits(const BodyState& a, const BodyState& b) {
  return same_bits(a.pose, b.pose) && same_bits(a.linear, b.linear) && same_bits(a.angular, b.angular);
}

inline bool same_bits(const State& a, const State& b) {
  const auto same_impulse = [](const StoredImpulse& x, const StoredImpulse& y) {
    return x.key == y.key && same_bits(x.impulse, y.impulse) && same_bits(x.turning, y.turning);
  };
  const auto same_joint = [](const JointState& x, const JointState& y) {
    return std::memcmp(&x, &y, sizeof x) == 0;  // doubles only, and every bit counts
  };
  return a.step == b.step && same_bits(a.time, b.time) &&
         std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), b.joints.end(), same_joint) &&
         std::equal(a.bodies.begin(), a.bodies.end(), b.bodies.begin(), b.bodies.end(),
                    [](const BodyState& x, const BodyState& y) { return same_bits(x, y); }) &&
         std::equal(a.initial_poses.begin(), a.initial_poses.end(), b.initial_poses.begin(), b.initial_poses.end(),
                    [](const Pose& x, const Pose& y) { return same_bits(x, y); }) &&
         std::equal(a.impulses.begin(), a.impulses.end(), b.impulses.begin(), b.impulses.end(), same_impulse);
}

}  // namespace cardhouse::testing
