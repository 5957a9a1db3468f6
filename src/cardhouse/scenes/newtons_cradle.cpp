// Newton's cradle: balls side by side, each on two strings that keep it in the x–z plane.
#include <fmt/format.h>

#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double steel_density = 7800.0;  // kg/m³, steel
constexpr double radius = 0.02;           // m
constexpr double height = 0.3;            // m, of the bar above the balls
constexpr double half_width = 0.1;        // m, between the two bars

/// A distance joint from the ball's centre to a point of the frame.
void add_string(Scene& scene, int ball, int frame, const Vec3& anchor, std::string name) {
  Joint string;
  string.name = std::move(name);
  string.kind = JointKind::distance;
  string.first = ball;
  string.second = frame;
  string.frame_second.position = anchor;
  string.length = (anchor - scene.initial.bodies[ball].pose.position).norm();
  scene.model.joints.push_back(string);
}

Scene newtons_cradle(const Parameters& p) {
  const int count = p.integer("count");
  const int lifted = std::min(p.integer("lifted"), count);
  const double angle = radians(p.number("angle"));
  const double distance = 2.0 * radius + p.number("gap");
  Scene scene = start_scene(p, "Balls on strings; those lifted on the left fall against the others.", 0.0,
                            p.number("restitution"));
  Body frame;
  frame.name = "frame";
  frame.mobility = Mobility::fixed;
  const int held = add(scene, frame, {});  // at the origin: the anchors are points of the world
  for (int i = 0; i < count; ++i) {
    const Vec3 place((i - 0.5 * (count - 1)) * distance, 0.0, 0.0);
    const Vec3 lift =
        i < lifted ? Vec3(-height * std::sin(angle), 0.0, height * (1.0 - std::cos(angle))) : Vec3::Zero();
    const int ball =
        add(scene, solid(fmt::format("ball_{}", i), Sphere{radius}, steel_density), {place + lift, Quat::Identity()});
    for (const double side : {-1.0, 1.0}) {
      add_string(scene, ball, held, Vec3(place.x(), side * half_width, height),
                 fmt::format("string_{}_{}", i, side < 0.0 ? "left" : "right"));
    }
  }
  scene.settings.step = 1e-4;
  scene.settings.restitution = Restitution::impact;
  scene.duration = 5.0;
  return scene;
}

}  // namespace

SceneDefinition newtons_cradle_definition() {
  return {"newtons_cradle",
          "balls on strings that hand a collision on",
          {integer("count", "5", 2, 50, "balls"), integer("lifted", "1", 0, 50, "of them on the left; at most all"),
           number("angle", "30", "deg", 0.0, 90.0, "to which they are lifted"),
           number("restitution", "1", "-", 0.0, 1.0, "coefficient of restitution"),
           number("gap", "0", "m", 0.0, 0.01, "between balls at rest; 0: they touch")},
          newtons_cradle};
}

}  // namespace cardhouse::scenes
