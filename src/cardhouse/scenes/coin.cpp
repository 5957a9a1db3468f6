// A coin that was flicked or rolled: what a table-top shows of bodies that roll on an edge.
#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double brass_density = 8000.0;  // kg/m³, of brass

/// With its lowest point on the table, leaning towards −x; it rolls along +y.
Scene coin(const Parameters& p) {
  const double radius = p.number("radius");
  const double half = 0.5 * p.number("thickness");
  const double lean = radians(p.number("lean"));
  const double speed = p.number("speed");
  Scene scene = start_scene(p, "A coin spins about the vertical or rolls on its rim.", p.number("mu"));
  add(scene, still("table", HalfSpace{}), {});
  // Upright its axis is horizontal: turned by 90° less what it leans.
  const double tilt = radians(90.0) - lean;
  const double height = radius * std::sin(tilt) + half * std::cos(tilt);
  const int coin = add(scene, solid("coin", Cylinder{radius, half}, brass_density),
                       {Vec3(0.0, 0.0, height), turn_about_y(tilt)}, Vec3(0.0, speed, 0.0));
  scene.initial.bodies[coin].angular = Vec3(-speed / height, 0.0, p.number("spin"));
  scene.duration = 5.0;
  return scene;
}

}  // namespace

SceneDefinition coin_definition() {
  return {"coin",
          "a coin spins about the vertical or rolls on its rim",
          {number("spin", "60", "rad/s", -200.0, 200.0, "about the vertical at the start"),
           number("speed", "0", "m/s", -10.0, 10.0, "along +y at the start; without spin it rolls"),
           number("lean", "5", "deg", 0.0, 85.0, "of the coin from the vertical"),
           number("radius", "0.012", "m", 0.001, 1.0, "of the coin"),
           number("thickness", "0.002", "m", 0.0001, 0.5, "of the coin"),
           number("mu", "0.2", "-", 0.0, 10.0, "coefficient of friction")},
          coin};
}

}  // namespace cardhouse::scenes
