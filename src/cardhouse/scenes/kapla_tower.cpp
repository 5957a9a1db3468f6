// A tower of Kapla planks: levels of parallel planks on their flat sides, each level across the one below. Two planks
// that cross meet in four points, of which three would do: with two planks to a level a plank has six freedoms and
// about 24 rows, so that W has at most a quarter of its full rank. A ball may be thrown at the middle of the tower.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double plank_density = 520.0;         // kg/m³, pine
const Vec3 plank_half(0.0585, 0.0117, 0.0039);  // m: 117 × 23.4 × 7.8 mm, 15 : 3 : 1

constexpr double ball_radius = 0.015;    // m
constexpr double ball_density = 2500.0;  // kg/m³, a marble
constexpr double ball_start = 0.02;      // m, from the planks' ends

/// Across the planks of a level: from the middle, where the outer ones end flush with the planks above and below.
double offset_of(int plank, int planks) {
  const double outermost = plank_half.x() - plank_half.y();
  return planks == 1 ? 0.0 : outermost * (2.0 * plank / (planks - 1) - 1.0);
}

void add_level(Scene& scene, int level, int planks, double twist) {
  const double angle = (level % 2 == 0 ? 0.0 : radians(90.0)) + twist * level;
  const Quat turn = rotation_from_vector(Vec3(0.0, 0.0, angle));
  const double z = (2.0 * level + 1.0) * plank_half.z();
  for (int plank = 0; plank < planks; ++plank) {
    const Vec3 place = turn * Vec3(0.0, offset_of(plank, planks), 0.0) + Vec3(0.0, 0.0, z);
    add(scene, solid(fmt::format("plank{}_{}", level, plank), Box{plank_half}, plank_density), {place, turn});
  }
}

Scene kapla_tower(const Parameters& p) {
  const int levels = p.integer("levels");
  const double speed = p.number("ball");
  Scene scene = start_scene(p, "A tower of planks, each level across the one below.", p.number("mu"));
  add_ground(scene, Vec3(2.0, 2.0, 0.1));
  for (int level = 0; level < levels; ++level) add_level(scene, level, p.integer("planks"), radians(p.number("twist")));
  if (speed > 0.0) {
    const double reach = std::sqrt(2.0) * plank_half.x() + ball_radius + ball_start;  // whatever the twist
    const double height = std::max(ball_radius + 1e-3, levels * plank_half.z());
    add(scene, solid("ball", Sphere{ball_radius}, ball_density),
        {Vec3(-reach, 0.4 * plank_half.x(), height), Quat::Identity()}, Vec3(speed, 0.0, 0.0));
  } else {
    scene.stands = StandsRule{.bodies = {}, .max_displacement = 1e-3, .after = 0.0};
  }
  scene.duration = 2.0;
  return scene;
}

}  // namespace

SceneDefinition kapla_tower_definition() {
  return {
      "kapla_tower",
      "a tower of planks, each level across the one below; a ball may hit it",
      {integer("levels", "36", 1, 500, "levels of planks"), integer("planks", "2", 1, 5, "in each level, side by side"),
       number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
       number("twist", "0", "deg", -10.0, 10.0, "of each level against the one below, besides the right angle"),
       number("ball", "0", "m/s", 0.0, 50.0, "speed of a marble thrown at the middle; 0: none")},
      kapla_tower};
}

}  // namespace cardhouse::scenes
