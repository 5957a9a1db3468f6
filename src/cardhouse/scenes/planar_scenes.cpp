// Scenes of planar bodies, in the x–z plane.
#include <fmt/format.h>

#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

/// Kaufman 2009, Figs. 2.8 and 6.1: a uniform rod of length 2 that slides on its lower end, here with its middle
/// behind that end, so that friction presses the end into the ground. With angle θ above the ground
/// W_nn = (1 + 3 cos²θ)/m and |W_nT| = 3 sinθ cosθ/m: no contact force keeps the end out of the ground once
/// mu ≥ (1 + 3 cos²θ)/(3 sinθ cosθ), which is least, 4/3, at tanθ = 2.
Scene painleve_rod(const Parameters& p) {
  const double angle = radians(p.number("angle"));
  Scene scene =
      start_scene(p, "A rod slides on its lower end, its middle behind it (Painlevé's example).", p.number("mu"));
  add(scene, planar(still("ground", HalfSpace{})), {});
  Body rod;
  rod.name = "rod";
  rod.kind = BodyKind::planar;
  rod.shapes = {Shape{.geometry = Segment{Vec2(0.0, -1.0), Vec2(0.0, 1.0)}, .pose = {}, .material = 0}};
  rod.mass = 1.0;
  rod.inertia(1, 1) = 1.0 / 3.0;
  const Quat turn = turn_about_y(angle - radians(90.0));
  add(scene, rod, {turn * Vec3::UnitZ(), turn}, Vec3(p.number("speed"), 0.0, 0.0));
  scene.duration = 2.0;
  return scene;
}

/// Anitescu & Hart 2003, section 5: disks of diameter 3 (by default) on a long immovable plank, `base` in the lowest
/// row, each row one less than the one below, all neighbours touching. Nothing holds the outer disks of the lowest row
/// but friction (as there), unless `stops` puts a fixed block against each.
Scene cannonball(const Parameters& p) {
  const double radius = p.number("radius");
  const int base = p.integer("base");
  Scene scene = start_scene(p, "A triangular pile of disks on a plank.", p.number("mu"));
  add(scene, planar(still("plank", HalfSpace{})), {});
  if (p.boolean("stops")) {
    const Polygon block{{Vec2(-0.5, 0.0), Vec2(0.5, 0.0), Vec2(0.5, 2.0 * radius), Vec2(-0.5, 2.0 * radius)}};
    const double x = base * radius + 0.5;
    add(scene, planar(still("stop_L", block)), {Vec3(-x, 0.0, 0.0), Quat::Identity()});
    add(scene, planar(still("stop_R", block)), {Vec3(x, 0.0, 0.0), Quat::Identity()});
  }
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i) {
      const Vec3 centre(radius * (2 * i - (base - row - 1)), 0.0, radius * (1.0 + row * std::sqrt(3.0)));
      add(scene, planar(solid(fmt::format("disk_{}_{}", row, i), Disk{radius}, 1000.0)), {centre, Quat::Identity()});
    }
  }
  // Disks of 3 m roll and fall over times of sqrt(3 m / g) = 0.55 s: a hundred steps each.
  scene.settings.step = 5e-3;
  scene.duration = 5.0;
  // A disk that left its place has moved by a good part of its radius; one that stays by round-off.
  scene.stands = StandsRule{.bodies = {}, .max_displacement = 0.1 * radius, .after = 0.0};
  return scene;
}

/// Anitescu 2003, slides, elliptic body: axes 4 and 8, dropped from 8 on a table with angular velocity 3. The slides do
/// not say more: here the axes are whole ones, the height is the centre's, the long axis starts level, mu is 0.3 and
/// gravity 9.81 m/s².
Scene ellipse_drop(const Parameters& p) {
  const double semi_axis_x = 0.5 * p.number("axis_x");
  const double semi_axis_z = 0.5 * p.number("axis_z");
  if (p.number("height") < semi_axis_z) {
    p.reject("height", fmt::format("≥ {:g} m, half of axis_z: the ellipse starts above the table", semi_axis_z));
  }
  Scene scene = start_scene(p, "An ellipse falls on a table, spins and rolls on.", p.number("mu"));
  add(scene, planar(still("table", HalfSpace{})), {});
  const int body = add(scene, planar(solid("ellipse", Ellipse{semi_axis_x, semi_axis_z}, 1.0)),
                       {Vec3(0.0, 0.0, p.number("height")), Quat::Identity()});
  scene.initial.bodies[body].angular.y() = p.number("spin");
  scene.duration = 5.0;
  return scene;
}

}  // namespace

SceneDefinition painleve_rod_definition() {
  return {"painleve_rod",
          "a planar rod slides on its end: friction presses it into the ground",
          {number("angle", "60", "deg", 1.0, 90.0, "of the rod above the ground"),
           number("mu", "1.5", "-", 0.0, 10.0, "coefficient of friction; the paradox needs 4/3 or more"),
           number("speed", "5", "m/s", -100.0, 100.0, "towards the end on the ground; negative: away from it")},
          painleve_rod};
}

SceneDefinition cannonball_definition() {
  return {"cannonball",
          "a triangular pile of planar disks",
          {integer("base", "6", 1, 100, "disks in the lowest row"),
           number("mu", "0.2", "-", 0.0, 10.0, "coefficient of friction"),
           number("radius", "1.5", "m", 0.001, 1000.0, "of the disks"),
           boolean("stops", false, "fixed blocks beside the lowest row")},
          cannonball};
}

SceneDefinition ellipse_drop_definition() {
  return {"ellipse_drop",
          "an ellipse falls on a table and rolls on",
          {number("axis_x", "8", "m", 0.01, 1000.0, "whole axis that starts level"),
           number("axis_z", "4", "m", 0.01, 16.0, "whole axis that starts upright"),
           number("height", "8", "m", 2.0, 1000.0, "of the centre above the table, at least half of axis_z"),
           number("spin", "3", "rad/s", -100.0, 100.0, "angular velocity, from z towards x"),
           number("mu", "0.3", "-", 0.0, 10.0, "coefficient of friction")},
          ellipse_drop};
}

}  // namespace cardhouse::scenes
