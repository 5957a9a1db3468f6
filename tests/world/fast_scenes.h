// Bodies that move farther in a step than things are thick.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "world/gate_bodies.h"

namespace cardhouse::test {

/// A sphere of 5 cm radius at 100 m/s that passes 1 cm above the edge of a block; without gravity. `phase` in [0, 1)
/// says where in a step it comes to the block.
inline Scene near_miss(double phase, double h = 1e-3) {
  constexpr double speed = 100.0;
  constexpr double radius = 0.05;
  constexpr double clearance = 0.01;
  Scene scene = empty_scene(0.0, h);
  scene.model.gravity.setZero();
  put_fixed(scene, "block", {shape_at(Box{Vec3::Constant(0.5)}, Vec3(0.5, 0.0, -0.5))});
  BodyState start;
  start.pose.position = Vec3(-(3.0 + phase) * speed * h, 0.0, radius + clearance);
  start.linear = Vec3(speed, 0.0, 0.0);
  put_solid(scene, "ball", {shape_at(Sphere{radius})}, 1000.0, start);
  return scene;
}

/// (−): how much the velocity of the last body changes until it has passed, over its speed.
inline double change_of_velocity(const Scene& scene, int steps) {
  World world(scene);
  const Vec3 start = scene.initial.bodies.back().linear;
  double changed = 0.0;
  for (int k = 0; k < steps; ++k) {
    world.step();
    changed = std::max(changed, (world.state().bodies.back().linear - start).norm());
  }
  return changed / start.norm();
}

/// How a step judged itself where something was crossed.
struct Crossing {
  bool certified = true;
  std::string reason;
};

/// A rod of 1 m that turns about its end, from the x axis towards z, and a fixed post at `post` rad from there.
struct RodAndPost {
  double turn = 1.0;  ///< rad in a step
  double post = 1.0;  ///< rad
  bool planar = false;
  double h = 1e-3;  ///< s
};

inline Scene hinged_rod(const RodAndPost& setting) {
  constexpr double half_length = 0.5;
  constexpr double half_width = 0.01;
  constexpr double post_radius = 0.02;
  constexpr double post_distance = 0.7;
  const bool planar = setting.planar;
  Scene scene = empty_scene(0.0, setting.h);
  scene.model.gravity.setZero();
  // About +y angles run from z towards x, so from x towards z they are negative.
  const Vec3 place = rotation_from_vector(Vec3(0.0, -setting.post, 0.0)) * Vec3(post_distance, 0.0, 0.0);
  const Geometry post = planar ? Geometry(Disk{post_radius}) : Geometry(Cylinder{post_radius, 0.3});
  const Quat upright = planar ? Quat::Identity() : rotation_from_vector(Vec3(0.5 * std::numbers::pi, 0.0, 0.0));
  put_fixed(scene, "post", {shape_at(post)}, {place, upright});
  const Geometry bar =
      planar ? Geometry(rectangle(half_length, half_width)) : Geometry(Box{Vec3(half_length, half_width, half_width)});
  const double spin = -setting.turn / setting.h;
  BodyState start;
  start.pose.position = Vec3(half_length, 0.0, 0.0);
  start.angular = Vec3(0.0, spin, 0.0);
  start.linear = start.angular.cross(start.pose.position);
  const int rod = put_solid(scene, "rod", {shape_at(bar)}, 1000.0, start);
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = planar ? JointKind::revolute : JointKind::hinge;
  hinge.first = rod;
  place_joint(hinge, scene.initial, Vec3::Zero(), Vec3::UnitY());
  scene.model.joints.push_back(hinge);
  return scene;
}

/// rad, from the x axis towards z, in which the rod points. Its place is no measure: hinges give way in long steps.
inline double rod_angle(const State& state) {
  const Vec3 along = state.bodies.back().pose.orientation * Vec3::UnitX();
  return std::atan2(along.z(), along.x());
}

/// The first step in which the rod came to the other side of its post (at `post` rad), if any. It stops to look after a
/// step that is not certified: what comes after it is promised nowhere.
inline std::optional<Crossing> rod_jumps(const Scene& scene, double post, int steps) {
  World world(scene);
  double angle = 0.0;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = world.step();
    // Steps are shorter than half a turn, so that the nearest turn is the right one.
    angle += std::remainder(rod_angle(world.state()) - angle, 2.0 * std::numbers::pi);
    if (angle > post) return Crossing{report.certified, report.reason};
    if (!report.certified) return std::nullopt;
  }
  return std::nullopt;
}

/// A ball that flies at a plate of 1 mm, 100 thicknesses in a step; without gravity.
struct BallAndPlate {
  bool dynamic = false;    ///< whether the plate can move
  double phase = 0.0;      ///< in [0, 1): where in a step the ball comes to the plate
  double incidence = 0.0;  ///< rad, from the plate's normal
  double aside = 0.0;      ///< m: where it hits, from the plate's middle
  double h = 1e-3;         ///< s
};

inline constexpr double plate_half = 0.5;  ///< m

inline Scene ball_at_plate(const BallAndPlate& setting) {
  constexpr double half_thickness = 5e-4;
  constexpr double radius = 5e-3;
  const double speed = 100.0 * 2.0 * half_thickness / setting.h;
  Scene scene = empty_scene(0.3, setting.h);
  scene.model.gravity.setZero();
  const Shape plate = shape_at(Box{Vec3(plate_half, plate_half, half_thickness)});
  if (setting.dynamic) {
    put_solid(scene, "plate", {plate}, 1000.0, {});
  } else {
    put_fixed(scene, "plate", {plate});
  }
  BodyState start;
  start.linear = speed * Vec3(std::sin(setting.incidence), 0.0, -std::cos(setting.incidence));
  start.pose.position = Vec3(setting.aside, 0.0, radius) - (2.0 + setting.phase) * setting.h * start.linear;
  put_solid(scene, "ball", {shape_at(Sphere{radius})}, 1000.0, start);
  return scene;
}

/// The first step in which the ball went through the plate, if any; as rod_jumps.
inline std::optional<Crossing> ball_crosses(const Scene& scene, int steps) {
  World world(scene);
  const auto seen_from_plate = [&] {
    return world.state().bodies[0].pose.apply_inverse(world.state().bodies[1].pose.position);
  };
  Vec3 before = seen_from_plate();
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = world.step();
    const Vec3 after = seen_from_plate();
    if (before.z() > 0.0 && after.z() <= 0.0) {
      const Vec3 there = before + before.z() / (before.z() - after.z()) * (after - before);
      const bool inside = std::max(std::abs(there.x()), std::abs(there.y())) < plate_half;
      if (inside) return Crossing{report.certified, report.reason};
    }
    if (!report.certified) return std::nullopt;
    before = after;
  }
  return std::nullopt;
}

/// All that the tests and the benchmark try.
inline std::vector<RodAndPost> rods_and_posts() {
  std::vector<RodAndPost> settings;
  for (const bool planar : {true, false}) {
    for (const double turn : {0.7, 0.9, 1.1, 1.3, 1.5}) {
      for (const double post : {0.5, 1.0, 1.7, 2.4, 3.0}) {
        settings.push_back({.turn = turn, .post = post, .planar = planar});
      }
    }
  }
  return settings;
}

inline std::vector<BallAndPlate> balls_and_plates(bool dynamic) {
  std::vector<BallAndPlate> settings;
  for (const double incidence : {0.0, 0.5, 1.0}) {
    for (const double phase : {0.05, 0.3, 0.55, 0.8}) {
      for (const double aside : {0.0, 0.3}) {
        settings.push_back({.dynamic = dynamic, .phase = phase, .incidence = incidence, .aside = aside});
      }
    }
  }
  return settings;
}

/// A ball of 10 cm radius on a floor, with a gravity of 1e12 m/s² along the floor beside the usual one.
inline Scene sideways_gravity(double mu, double h = 1e-3) {
  Scene scene = empty_scene(mu, h);
  scene.model.gravity = Vec3(1e12, 0.0, -gate_gravity);
  put_fixed(scene, "floor", {shape_at(HalfSpace{})});
  BodyState start;
  start.pose.position.z() = 0.1;
  put_solid(scene, "ball", {shape_at(Sphere{0.1})}, 1000.0, start);
  return scene;
}

/// m: how deep the ball is below the floor after the steps that are certified.
inline double certified_depth(const Scene& scene, int steps, std::string& reason) {
  World world(scene);
  double deepest = 0.0;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = world.step();
    reason = report.reason;
    if (!report.certified) break;
    deepest = std::max(deepest, 0.1 - world.state().bodies.back().pose.position.z());
  }
  return deepest;
}

}  // namespace cardhouse::test
