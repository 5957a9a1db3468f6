// Bodies of random size that fall into a bin. Each starts somewhere in a cell of its own, so that none overlap.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cardhouse/geometry/mass_properties.h"
#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double largest = 0.1;     // m: radius, or half side
constexpr double half_wall = 0.05;  // m

struct Cells {
  int across = 1;  ///< along x and along y
  int layers = 1;
  double size = 0.0;  ///< m

  double width() const { return across * size; }
  double height() const { return layers * size; }
  Vec3 centre(int index) const {
    const int layer = index / (across * across);
    const int row = index / across % across;
    const int column = index % across;
    return Vec3(column + 0.5, row + 0.5, layer + 0.5) * size - 0.5 * width() * Vec3(1.0, 1.0, 0.0);
  }
};

/// Twice as high as wide, so that the bodies come to lie in several layers.
Cells cells_for(int count, double size) {
  const int across = std::max(1, static_cast<int>(std::ceil(std::cbrt(0.5 * count) - 1e-9)));
  return {.across = across, .layers = (count + across * across - 1) / (across * across), .size = size};
}

/// A floor at z = 0 and four walls, as high as the bodies start: nothing can leave.
void add_bin(Scene& scene, const Cells& cells) {
  Body bin;
  bin.name = "bin";
  bin.mobility = Mobility::fixed;
  const double inner = 0.5 * cells.width();
  const double half_height = 0.5 * cells.height();
  const auto add_box = [&](const Vec3& half, const Vec3& centre) {
    bin.shapes.push_back(Shape{.geometry = Box{half}, .pose = {centre, Quat::Identity()}, .material = 0});
  };
  const double outer = inner + 2.0 * half_wall;
  add_box(Vec3(outer, outer, half_wall), Vec3(0.0, 0.0, -half_wall));
  for (const double side : {-1.0, 1.0}) {
    add_box(Vec3(half_wall, outer, half_height), Vec3(side * (inner + half_wall), 0.0, half_height));
    add_box(Vec3(inner, half_wall, half_height), Vec3(0.0, side * (inner + half_wall), half_height));
  }
  add(scene, bin, {});
}

/// A random place that keeps a sphere of `radius` inside its cell with a tenth of the play to spare.
Vec3 place_in_cell(Random& random, const Cells& cells, int index, double radius) {
  const double play = 0.9 * (0.5 * cells.size - radius);
  Vec3 place = cells.centre(index);
  for (int axis = 0; axis < 3; ++axis) place[axis] += random.uniform(-play, play);
  return place;
}

Scene sphere_pile(const Parameters& p) {
  const int count = p.integer("count");
  Scene scene = start_scene(p, "Spheres of 8 to 10 cm radius fall into a bin.", p.number("mu"));
  const Cells cells = cells_for(count, 2.3 * largest);
  add_bin(scene, cells);
  Random random(p.integer("seed"));
  for (int i = 0; i < count; ++i) {
    const double radius = random.uniform(0.8 * largest, largest);
    add(scene, solid(fmt::format("sphere{}", i), Sphere{radius}, usual_density),
        {place_in_cell(random, cells, i, radius), Quat::Identity()});
  }
  scene.settings.step = 5e-3;
  scene.duration = 3.0;
  return scene;
}

Scene box_pile(const Parameters& p) {
  const int count = p.integer("count");
  Scene scene = start_scene(p, "Boxes of 12 to 20 cm side, turned at random, fall into a bin.", p.number("mu"));
  const Cells cells = cells_for(count, 2.1 * std::sqrt(3.0) * largest);
  add_bin(scene, cells);
  Random random(p.integer("seed"));
  for (int i = 0; i < count; ++i) {
    Vec3 half;
    for (int axis = 0; axis < 3; ++axis) half[axis] = random.uniform(0.6 * largest, largest);
    const Vec3 place = place_in_cell(random, cells, i, half.norm());
    add(scene, solid(fmt::format("box{}", i), Box{half}, usual_density), {place, random.rotation()});
  }
  scene.settings.step = 5e-3;
  scene.duration = 3.0;
  return scene;
}

Polytope polytope_of(std::span<const Vec3> points) {
  return {std::make_shared<const Hull>(hull_of_points(points))};
}

/// The hull of points on a sphere, moved to its centre of mass and as large as that all corners lie within `radius`.
Polytope rock(Random& random, double radius) {
  constexpr int corners = 14;
  std::vector<Vec3> points;
  for (int i = 0; i < corners; ++i) points.push_back(random.rotation() * Vec3::UnitX());
  const Vec3 centre =
      mass_properties(std::array{Shape{.geometry = polytope_of(points), .pose = {}, .material = 0}}).centre;
  double farthest = 0.0;
  for (Vec3& point : points) {
    point -= centre;
    farthest = std::max(farthest, point.norm());
  }
  for (Vec3& point : points) point *= radius / farthest;
  return polytope_of(points);
}

Scene rock_pile(const Parameters& p) {
  const int count = p.integer("count");
  Scene scene = start_scene(p, "Rocks of 14 corners, up to 14 to 20 cm across, fall into a bin.", p.number("mu"));
  const Cells cells = cells_for(count, 2.3 * largest);
  add_bin(scene, cells);
  Random random(p.integer("seed"));
  for (int i = 0; i < count; ++i) {
    const double radius = random.uniform(0.7 * largest, largest);
    const Polytope shape = rock(random, radius);
    const Vec3 place = place_in_cell(random, cells, i, radius);
    add(scene, solid(fmt::format("rock{}", i), shape, usual_density), {place, random.rotation()});
  }
  scene.settings.step = 5e-3;
  scene.duration = 3.0;
  return scene;
}

std::vector<ParameterSpec> pile_parameters(const std::string& mu = "0.5") {
  return {integer("count", "100", 1, 20000, "bodies"), number("mu", mu, "-", 0.0, 10.0, "coefficient of friction"),
          integer("seed", "1", 0, 1e9, "of the random sizes and places")};
}

}  // namespace

SceneDefinition sphere_pile_definition() {
  return {"sphere_pile", "spheres fall into a bin", pile_parameters(), sphere_pile};
}

SceneDefinition box_pile_definition() {
  return {"box_pile", "boxes fall into a bin", pile_parameters(), box_pile};
}

SceneDefinition rock_pile_definition() {
  return {"rock_pile", "rocks, convex polytopes of random corners, fall into a bin", pile_parameters("1"), rock_pile};
}

}  // namespace cardhouse::scenes
