// Scenes of one body for one law of friction each, whose motion is known on paper (docs/friction-laws.md).
#include <algorithm>
#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

/// s: scenes whose end is known run half as long again, but no longer than this.
constexpr double longest = 30.0;

double lasting(double end) {
  return std::min(longest, 0.5 + 1.5 * end);
}

/// Rolling without slip v = R w: m v' = −F, I w' = F R − mu_rolling m g, so that (m R² + I) w' = −mu_rolling m g, and
/// with I = 2/5 m R² the ball brakes at 5/7 mu_rolling g/R.
Scene rolling_ball(const Parameters& p) {
  const double radius = p.number("radius");
  const double speed = p.number("speed");
  const double mu_rolling = p.number("mu_rolling");
  Scene scene = start_scene(p, "A ball rolls over level ground until rolling friction stops it.", p.number("mu"));
  scene.model.materials[0].mu_rolling = mu_rolling;
  add(scene, still("ground", HalfSpace{}), {});
  const int ball = add(scene, solid("ball", Sphere{radius}, usual_density), {Vec3(0.0, 0.0, radius), Quat::Identity()},
                       Vec3(speed, 0.0, 0.0));
  scene.initial.bodies[ball].angular = Vec3(0.0, speed / radius, 0.0);
  const double braking = 5.0 / 7.0 * mu_rolling * usual_gravity / radius;
  scene.duration = braking > 0.0 ? lasting(speed / braking) : 10.0;
  return scene;
}

/// A ball that spins about the normal is to torsional friction what a top on its tip is, I w' = −mu m g, and can't
/// fall.
Scene spinning_top(const Parameters& p) {
  const double radius = p.number("radius");
  const double spin = p.number("spin");
  const double mu_torsional = p.number("mu_torsional");
  Scene scene = start_scene(p, "A ball spins about the vertical until torsional friction stops it.", p.number("mu"));
  scene.model.materials[0].mu_torsional = mu_torsional;
  add(scene, still("ground", HalfSpace{}), {});
  const int top = add(scene, solid("top", Sphere{radius}, usual_density), {Vec3(0.0, 0.0, radius), Quat::Identity()});
  scene.initial.bodies[top].angular = Vec3(0.0, 0.0, spin);
  const double braking = mu_torsional * usual_gravity / (0.4 * radius * radius);
  scene.duration = braking > 0.0 ? lasting(std::abs(spin) / braking) : 10.0;
  return scene;
}

/// A block at the distance r turns with the table while w² r ≤ mu g.
Scene turntable(const Parameters& p) {
  const double mu = p.number("mu");
  const double rate = p.number("rate");
  const double distance = p.number("distance");
  Scene scene = start_scene(p, "A small block on a table that turns about the vertical.", mu);
  if (const double mu_static = p.number("mu_static"); mu_static > 0.0) {
    if (mu_static < mu) p.reject("mu_static", "0, or at least mu");
    scene.model.materials[0].mu_static = mu_static;
  }
  Body table = still("table", Box{Vec3(5.0, 5.0, 0.05)});
  table.mobility = Mobility::kinematic;
  table.motion = ConstantVelocity{.linear = Vec3::Zero(), .angular = Vec3(0.0, 0.0, rate)};
  const int top = add(scene, table, {Vec3(0.0, 0.0, -0.05), Quat::Identity()});
  scene.initial.bodies[top].angular = Vec3(0.0, 0.0, rate);
  const Vec3 half(0.02, 0.02, 0.005);
  const int block = add(scene, solid("block", Box{half}, usual_density),
                        {Vec3(distance, 0.0, half.z()), Quat::Identity()}, Vec3(0.0, rate * distance, 0.0));
  scene.initial.bodies[block].angular = Vec3(0.0, 0.0, rate);
  scene.duration = 5.0;
  // A step's first order lets a block that sticks drift outward by ½ rate² distance h, a millimetre or so per second;
  // one that slips at 1.02 of the limit is 5 cm off after a second and leaves the table soon.
  scene.stands = StandsRule{.bodies = {block}, .max_displacement = 0.1, .after = 0.0, .relative_to = top};
  return scene;
}

/// Hangs while the adhesion exceeds its weight, `ratio` of which it is.
Scene ceiling_block(const Parameters& p) {
  const Vec3 half(0.1, 0.1, 0.05);
  const double angle = radians(p.number("angle"));
  Scene scene = start_scene(p, "A block sticks to a ceiling or, turned by 90 degrees, to a wall.", p.number("mu"));
  // At angle 0 the solid is above the block; at 90° it is a wall at its +x side.
  const Quat tilt = turn_about_y(angle);
  add(scene, still("ceiling", HalfSpace{.normal = Vec3(0.0, 0.0, -1.0)}), {Vec3::Zero(), tilt});
  Body block = solid("block", Box{half}, usual_density);
  const double weight = block.mass * usual_gravity;
  const int index = add(scene, block, {tilt * Vec3(0.0, 0.0, -half.z()), tilt});
  scene.model.materials[0].adhesion = p.number("ratio") * weight;
  scene.duration = 2.0;
  // What hangs moves by nanometres; what falls leaves a millimetre behind in 15 ms or, at 1.01 of what holds, 150 ms.
  scene.stands = StandsRule{.bodies = {index}, .max_displacement = 1e-3, .after = 0.0};
  return scene;
}

}  // namespace

SceneDefinition rolling_ball_definition() {
  return {"rolling_ball",
          "a ball rolls over level ground and stops",
          {number("speed", "1", "m/s", 0.0, 100.0, "along +x at the start"),
           number("radius", "0.1", "m", 0.001, 10.0, "of the ball"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
           number("mu_rolling", "0.005", "m", 0.0, 1.0, "rolling friction: the normal force's lever arm")},
          rolling_ball};
}

SceneDefinition spinning_top_definition() {
  return {"spinning_top",
          "a ball spins on the spot and stops",
          {number("spin", "20", "rad/s", -200.0, 200.0, "about the vertical at the start"),
           number("radius", "0.05", "m", 0.001, 10.0, "of the ball"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
           number("mu_torsional", "0.0005", "m", 0.0, 1.0, "torsional friction: the normal force's lever arm")},
          spinning_top};
}

SceneDefinition turntable_definition() {
  return {"turntable",
          "a block on a table that turns, held or not by friction",
          {number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
           number("mu_static", "0", "-", 0.0, 10.0, "of what sticks; 0: mu"),
           number("rate", "2", "rad/s", -20.0, 20.0, "of the table's turning about +z"),
           number("distance", "1", "m", 0.0, 4.0, "of the block from the axis; it holds up to mu g/rate²")},
          turntable};
}

SceneDefinition ceiling_block_definition() {
  return {"ceiling_block",
          "a block sticks to a ceiling or a wall",
          {number("ratio", "1.02", "-", 0.0, 1e4, "adhesion / weight: from 1 on it hangs"),
           number("angle", "0", "deg", 0.0, 90.0, "of the ceiling; 90: a wall"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction")},
          ceiling_block};
}

}  // namespace cardhouse::scenes
