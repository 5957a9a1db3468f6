// A house of notched logs crossing at the corners (the "Lincoln Log" house of Kaufman 2009, section 7.9). Each log is a
// row of five boxes: stub, notch, middle, notch, stub. Walls along x and along y alternate by half a log; logs bear on
// each other in the notches only, because the notches are a little shallower than a quarter of the log.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double pine_density = 500.0;     // kg/m³, pine
constexpr double side = 0.1;               // m, of the square section
constexpr double wall = 1.0;               // m, between the middles of opposite walls
constexpr double stub = 0.08;              // m, beyond the notches
constexpr double notch_depth = 0.024;      // m, from above and from below; leaves 4 mm between the logs of a wall
constexpr double notch_clearance = 0.001;  // m, on either side of the crossing log

/// From a log's middle to the middle of the log that crosses above it.
constexpr double lift = side - 2.0 * notch_depth;

/// Along x, the origin in the middle.
Body log_body(const std::string& name) {
  const double notch_half = 0.5 * side + notch_clearance;
  const double notch_outer = 0.5 * wall + notch_half;
  const double notch_inner = 0.5 * wall - notch_half;
  const double full = 0.5 * side;
  const double waist = full - notch_depth;
  Body body;
  body.name = name;
  const auto add_piece = [&](double from, double to, double half_height) {
    const Box box{Vec3(0.5 * (to - from), 0.5 * side, half_height)};
    body.shapes.push_back(
        Shape{.geometry = box, .pose = {Vec3(0.5 * (from + to), 0.0, 0.0), Quat::Identity()}, .material = 0});
  };
  add_piece(-notch_outer - stub, -notch_outer, full);
  add_piece(-notch_outer, -notch_inner, waist);
  add_piece(-notch_inner, notch_inner, full);
  add_piece(notch_inner, notch_outer, waist);
  add_piece(notch_outer, notch_outer + stub, full);
  return body;
}

Scene log_house(const Parameters& p) {
  const double speed = p.number("speed");
  Scene scene = start_scene(p, "Four walls of notched logs that cross at the corners.", p.number("mu"));
  add_ground(scene, Vec3(20.0, 20.0, 0.5));
  const Quat across = rotation_from_vector(Vec3(0.0, 0.0, radians(90.0)));
  for (int layer = 0; layer < p.integer("layers"); ++layer) {
    const double z = 0.5 * side + 2.0 * lift * layer;
    for (const double way : {-1.0, 1.0}) {
      const char* which = way < 0.0 ? "front" : "back";
      BodyState along{.pose = {Vec3(0.0, way * 0.5 * wall, z), Quat::Identity()},
                      .linear = Vec3(speed, 0.0, 0.0),
                      .angular = Vec3::Zero()};
      Body log = log_body(fmt::format("{}_{}", which, layer));
      set_density(log, along, pine_density);
      add(scene, log, along.pose, along.linear);
    }
    for (const double way : {-1.0, 1.0}) {
      const char* which = way < 0.0 ? "left" : "right";
      BodyState crossing{.pose = {Vec3(way * 0.5 * wall, 0.0, z + lift), across},
                         .linear = Vec3(speed, 0.0, 0.0),
                         .angular = Vec3::Zero()};
      Body log = log_body(fmt::format("{}_{}", which, layer));
      set_density(log, crossing, pine_density);
      add(scene, log, crossing.pose, crossing.linear);
    }
  }
  scene.duration = 5.0;
  // Less than half a notch's depth: a log that moved farther may be on its way out of its notch.
  if (speed == 0.0) scene.stands = StandsRule{.bodies = {}, .max_displacement = 0.01, .after = 0.0};
  return scene;
}

}  // namespace

SceneDefinition log_house_definition() {
  return {"log_house",
          "a house of notched logs",
          {integer("layers", "4", 1, 50, "logs in each of the four walls"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
           number("speed", "0", "m/s", 0.0, 10.0, "of the whole house along +x at the start: it slides")},
          log_house};
}

}  // namespace cardhouse::scenes
