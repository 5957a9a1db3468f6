// Scenes of one body, or one column, whose motion is known on paper.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

/// 40 × 40 × 20 cm, 32 kg. So flat that it slides rather than tips up to a slope of 2 (63°).
const Vec3 block_half(0.2, 0.2, 0.1);

Scene particle_drop(const Parameters& p) {
  const double radius = 0.01;
  Scene scene = start_scene(p, "A particle falls on a level plane.", p.number("mu"), p.number("restitution"));
  add(scene, still("plane", HalfSpace{}), {});
  Body particle = solid("particle", Sphere{radius}, usual_density);
  particle.kind = BodyKind::particle;
  // `height` is the gap below the particle, so that it lands with sqrt(2 g height) whatever its size.
  add(scene, particle, {Vec3(0.0, 0.0, p.number("height") + radius), Quat::Identity()},
      Vec3(p.number("speed"), 0.0, 0.0));
  scene.duration = 2.0;
  return scene;
}

Scene incline(const Parameters& p) {
  const double angle = std::atan(p.number("ratio") * p.number("mu"));
  const double speed = p.number("speed");
  Scene scene = start_scene(p, "A box on an inclined plane that falls towards +x.", p.number("mu"));
  const Quat tilt = turn_about_y(angle);
  add(scene, still("plane", HalfSpace{}), {Vec3::Zero(), tilt});
  const int box = add(scene, solid("box", Box{block_half}, usual_density),
                      {tilt * Vec3(0.0, 0.0, block_half.z()), tilt}, tilt * Vec3(speed, 0.0, 0.0));
  scene.duration = 5.0;
  // A box that holds moves by micrometres; one that slides at 1.02 of the friction angle passes 1 mm within 0.2 s.
  if (speed == 0.0) scene.stands = StandsRule{.bodies = {box}, .max_displacement = 1e-3, .after = 0.0};
  return scene;
}

Scene sliding_block(const Parameters& p) {
  const double mu = p.number("mu");
  const double speed = p.number("speed");
  const double heading = radians(p.number("heading"));
  Scene scene = start_scene(p, "A box slides over level ground until friction stops it at speed²/(2 mu g).", mu);
  // Half as long again as the braking takes, but no longer than 20 s where friction is too weak to stop it.
  const double braking_time = mu > 0.0 ? speed / (mu * usual_gravity) : 20.0;
  scene.duration = std::min(20.0, 0.5 + 1.5 * braking_time);
  const double reach = mu > 0.0 ? std::min(0.5 * speed * braking_time, speed * scene.duration) : speed * scene.duration;
  const double half_ground = std::max(10.0, std::ceil(reach + 5.0));
  add_ground(scene, Vec3(half_ground, half_ground, 0.5));
  add(scene, solid("slider", Box{block_half}, usual_density), {Vec3(0.0, 0.0, block_half.z()), Quat::Identity()},
      Vec3(speed * std::cos(heading), speed * std::sin(heading), 0.0));
  return scene;
}

Scene box_stack(const Parameters& p) {
  const int count = p.integer("count");
  Scene scene = start_scene(p, "Cubes of 1 m and 1000 kg, one on the other; the top one may be lighter or heavier.",
                            p.number("mu"));
  add_ground(scene, Vec3(5.0, 5.0, 0.5));
  for (int i = 0; i < count; ++i) {
    const double own_density = i + 1 == count ? p.number("ratio") * usual_density : usual_density;
    add(scene, solid(fmt::format("cube{}", i), Box{Vec3::Constant(0.5)}, own_density),
        {Vec3(0.0, 0.0, i + 0.5), Quat::Identity()});
  }
  scene.duration = 20.0;
  // A stack that stands moves by micrometres; a cube that left its place has moved by a good part of its side.
  scene.stands = StandsRule{.bodies = {}, .max_displacement = 0.1, .after = 0.0};
  return scene;
}

}  // namespace

SceneDefinition particle_drop_definition() {
  return {"particle_drop",
          "a particle falls on a plane",
          {number("height", "1", "m", 0.0, 1000.0, "gap between particle and plane at the start"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
           number("restitution", "0", "-", 0.0, 1.0, "Newton's coefficient of restitution"),
           number("speed", "0", "m/s", -100.0, 100.0, "along +x at the start")},
          particle_drop};
}

SceneDefinition incline_definition() {
  return {"incline",
          "a box on an inclined plane, held or not by friction",
          {number("mu", "0.5", "-", 0.0, 1.5, "coefficient of friction"),
           number("ratio", "0.98", "-", 0.0, 1.3, "tan(slope angle) / mu: below 1 the box holds, above it slides"),
           number("speed", "0", "m/s", -100.0, 100.0, "down the slope at the start")},
          incline};
}

SceneDefinition sliding_block_definition() {
  return {"sliding_block",
          "a box slides over level ground and stops",
          {number("mu", "0.3", "-", 0.0, 1.5, "coefficient of friction"),
           number("speed", "3", "m/s", 0.0, 100.0, "at the start"),
           number("heading", "45", "deg", -360.0, 360.0, "direction of the motion, from +x towards +y")},
          sliding_block};
}

SceneDefinition box_stack_definition() {
  return {"box_stack",
          "a column of cubes",
          {integer("count", "10", 1, 1000, "cubes"),
           number("ratio", "1", "-", 1e-4, 1e4, "mass of the top cube to that of the others"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction")},
          box_stack};
}

}  // namespace cardhouse::scenes
