// Size segregation: one large disk at the bottom of many small ones in a bin that is shaken up and down (Rosato,
// Strandburg, Prinz & Swendsen 1987; Anitescu 2006, section 10.2). Walls are hard and move with the floor.
#include <fmt/format.h>

#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double spread = 0.2;          // small disks are up to this part smaller, or they would lie as a crystal
constexpr double sand_density = 100.0;  // kg/m²
constexpr double half_bin_wall = 1.0;   // m

Polygon rectangle(double half_x, double half_z) {
  return {{Vec2(-half_x, -half_z), Vec2(half_x, -half_z), Vec2(half_x, half_z), Vec2(-half_x, half_z)}};
}

Body bin(double inner, double height, const Motion& motion) {
  Body body;
  body.name = "bin";
  body.kind = BodyKind::planar;
  body.mobility = Mobility::kinematic;
  body.motion = motion;
  const auto add_wall = [&](const Polygon& outline, const Vec3& centre) {
    body.shapes.push_back(Shape{.geometry = outline, .pose = {centre, Quat::Identity()}, .material = 0});
  };
  add_wall(rectangle(inner + 2.0 * half_bin_wall, half_bin_wall), Vec3(0.0, 0.0, -half_bin_wall));
  for (const double side : {-1.0, 1.0}) {
    add_wall(rectangle(half_bin_wall, 0.5 * height), Vec3(side * (inner + half_bin_wall), 0.0, 0.5 * height));
  }
  return body;
}

Scene brazil_nut(const Parameters& p) {
  const int count = p.integer("count");
  const double frequency = p.number("frequency");
  const double radius = p.number("radius");
  const double pitch = 2.02 * radius;
  const double nut = p.number("ratio") * radius;
  Scene scene = start_scene(p, "A large disk below small ones in a bin that is shaken: it comes up.", p.number("mu"),
                            p.number("restitution"));
  const int columns = p.integer("columns");
  if (columns < std::ceil(p.number("ratio"))) p.reject("columns", "at least the ratio: the large disk must fit in");
  const double inner = 0.5 * columns * pitch;
  const Vec3 nut_place(0.0, 0.0, nut);
  std::vector<Vec3> places;
  for (int row = 0; static_cast<int>(places.size()) + 1 < count; ++row) {
    for (int i = 0; i < columns && static_cast<int>(places.size()) + 1 < count; ++i) {
      const Vec3 place((i + 0.5) * pitch - inner, 0.0, (row + 0.5) * pitch);
      if ((place - nut_place).norm() > nut + radius) places.push_back(place);
    }
  }
  const double height = 3.0 * (places.empty() ? nut : places.back().z() + radius);
  add(scene, bin(inner, height, Shaking{.amplitude = Vec3(0.0, 0.0, p.number("amplitude")), .frequency = frequency}),
      {});
  add(scene, planar(solid("nut", Disk{nut}, sand_density)), {nut_place, Quat::Identity()});
  Random random(p.integer("seed"));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double own = radius * random.uniform(1.0 - spread, 1.0);
    add(scene, planar(solid(fmt::format("small_{}", i), Disk{own}, sand_density)), {places[i], Quat::Identity()});
  }
  scene.settings.step = 0.1;
  scene.duration = 75.0;
  return scene;
}

}  // namespace

SceneDefinition brazil_nut_definition() {
  return {"brazil_nut",
          "a large disk comes up through small ones in a shaken bin",
          {integer("count", "201", 2, 5000, "disks, the large one included"),
           integer("columns", "20", 3, 1000, "of small disks between the walls"),
           number("radius", "0.75", "m", 0.001, 1000.0, "of the largest small disks"),
           number("ratio", "3", "-", 1.0, 20.0, "radius of the large disk to that of the largest small ones"),
           number("amplitude", "2", "m", 0.0, 10.0, "of the shaking"),
           number("frequency", "0.8", "Hz", 0.01, 100.0, "of the shaking"),
           number("mu", "0.5", "-", 0.0, 10.0, "coefficient of friction"),
           number("restitution", "0", "-", 0.0, 1.0, "Newton's coefficient of restitution"),
           integer("seed", "1", 0, 1e9, "of the random sizes")},
          brazil_nut};
}

}  // namespace cardhouse::scenes
