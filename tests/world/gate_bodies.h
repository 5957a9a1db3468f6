// Building scenes in code: the tests of this folder and benchmarks/gates.cpp judge the step on the same scenes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cardhouse/world/world.h"

namespace cardhouse::test {

inline constexpr double gate_gravity = 9.81;  ///< m/s²

inline Shape shape_at(const Geometry& geometry, const Vec3& position = Vec3::Zero(),
                      const Quat& orientation = Quat::Identity()) {
  return {.geometry = geometry, .pose = {position, orientation}, .material = 0};
}

/// A rectangle in the plane, centred at its frame's origin.
inline Polygon rectangle(double half_x, double half_z) {
  return {{Vec2(-half_x, -half_z), Vec2(half_x, -half_z), Vec2(half_x, half_z), Vec2(-half_x, half_z)}};
}

inline Polytope polytope_box(const Vec3& half_extents) {
  return {std::make_shared<const Hull>(box_hull(half_extents))};
}

/// Puts a body into the scene and returns its index.
inline int put(Scene& scene, Body body, const BodyState& state) {
  scene.model.bodies.push_back(std::move(body));
  scene.initial.bodies.push_back(state);
  scene.initial.initial_poses.push_back(state.pose);
  return static_cast<int>(scene.model.bodies.size()) - 1;
}

inline int put_fixed(Scene& scene, std::string name, std::vector<Shape> shapes, const Pose& pose = {}) {
  Body body;
  body.name = std::move(name);
  body.mobility = Mobility::fixed;
  body.shapes = std::move(shapes);
  if (is_planar(body.shapes.front().geometry)) body.kind = BodyKind::planar;
  BodyState state;
  state.pose = pose;
  return put(scene, std::move(body), state);
}

/// The centre of mass comes to lie at `state`, whatever the shapes' frame.
inline int put_solid(Scene& scene, std::string name, std::vector<Shape> shapes, double density, BodyState state) {
  Body body;
  body.name = std::move(name);
  body.shapes = std::move(shapes);
  if (is_planar(body.shapes.front().geometry)) body.kind = BodyKind::planar;
  BodyState unplaced;
  set_density(body, unplaced, density);
  return put(scene, std::move(body), state);
}

inline Scene empty_scene(double mu, double h = 1e-3) {
  Scene scene;
  scene.model.materials[0].mu = mu;
  scene.settings.step = h;
  return scene;
}

/// The same scene seen from a frame that is turned: all numbers get rounding, and the motion stays the same.
inline void turn_scene(Scene& scene, const Quat& turn) {
  const Pose frame{Vec3::Zero(), turn};
  scene.model.gravity = turn * scene.model.gravity;
  for (std::size_t i = 0; i < scene.initial.bodies.size(); ++i) {
    BodyState& s = scene.initial.bodies[i];
    s.pose = frame * s.pose;
    s.linear = turn * s.linear;
    s.angular = turn * s.angular;
    scene.initial.initial_poses[i] = s.pose;
  }
}

}  // namespace cardhouse::test
