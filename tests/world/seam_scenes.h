// Bodies that slide over floors of flush tiles: no seam may be felt.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "world/gate_bodies.h"

namespace cardhouse::test {

/// What slides. Its lowest points lie at z = 0 when its centre is at `height`.
struct Slider {
  const char* name = "";
  std::vector<Shape> shapes;
  double height = 0.0;  ///< m
  double reach = 0.0;   ///< m, from the centre to the foremost point
  Quat orientation = Quat::Identity();
  double rolling_part = 0.0;  ///< of the speed that is left when friction has made it roll; 0: it does not roll
};

/// Tiles in a row along x, their tops at z = 0. A seam is at x = 0, with one tile before it, or two of three and more.
struct TiledFloor {
  const char* name = "";
  int tiles = 2;
  double length = 10.0;  ///< m, of a tile along the motion
  double width = 2.0;    ///< m, across it
  bool planar = false;
  bool polytopes = false;
  bool compound = false;         ///< one body, a shape for each tile
  double yaw = 0.0;              ///< rad: seams turned against the motion
  Quat turn = Quat::Identity();  ///< of the whole scene with its gravity
};

inline constexpr double gate_angle = 37.0 * std::numbers::pi / 180.0;
inline constexpr double tile_height = 1.0;  ///< m

inline Quat quarter_turn(const Vec3& axis) {
  return rotation_from_vector(0.5 * std::numbers::pi * axis);
}

/// A prism of six sides with a flat side below, along y.
inline Polytope hexagonal_prism(double radius, double half_length) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 6; ++i) {
    const double angle = std::numbers::pi / 3.0 * i;
    for (const double y : {-half_length, half_length}) {
      corners.emplace_back(radius * std::cos(angle), y, radius * std::sin(angle));
    }
  }
  return {std::make_shared<const Hull>(hull_of_points(corners))};
}

inline Slider box_slider() {
  return {.name = "box", .shapes = {shape_at(Box{Vec3(0.2, 0.2, 0.1)})}, .height = 0.1, .reach = 0.2};
}

inline Slider sphere_slider() {
  return {.name = "sphere", .shapes = {shape_at(Sphere{0.1})}, .height = 0.1, .reach = 0.1, .rolling_part = 5.0 / 7.0};
}

inline Slider lying_cylinder_slider() {
  return {.name = "cylinder that can roll",
          .shapes = {shape_at(Cylinder{0.1, 0.15})},
          .height = 0.1,
          .reach = 0.1,
          .orientation = quarter_turn(Vec3::UnitX()),
          .rolling_part = 2.0 / 3.0};
}

inline std::vector<Slider> spatial_sliders() {
  const Quat along = quarter_turn(Vec3::UnitY());
  const Quat across = quarter_turn(Vec3::UnitX());
  const Box half{Vec3(0.1, 0.2, 0.1)};
  const double hexagon_height = 0.1 * std::sin(std::numbers::pi / 3.0);
  return {
      box_slider(),
      {.name = "polytope box", .shapes = {shape_at(polytope_box(Vec3(0.2, 0.2, 0.1)))}, .height = 0.1, .reach = 0.2},
      {.name = "hexagonal prism",
       .shapes = {shape_at(hexagonal_prism(0.1, 0.2))},
       .height = hexagon_height,
       .reach = 0.1},
      {.name = "compound of two boxes",
       .shapes = {shape_at(half, Vec3(-0.1, 0.0, 0.0)), shape_at(half, Vec3(0.1, 0.0, 0.0))},
       .height = 0.1,
       .reach = 0.2},
      sphere_slider(),
      {.name = "capsule along",
       .shapes = {shape_at(Capsule{0.1, 0.1})},
       .height = 0.1,
       .reach = 0.2,
       .orientation = along},
      {.name = "capsule across",
       .shapes = {shape_at(Capsule{0.1, 0.1})},
       .height = 0.1,
       .reach = 0.1,
       .orientation = across},
      {.name = "upright cylinder", .shapes = {shape_at(Cylinder{0.2, 0.1})}, .height = 0.1, .reach = 0.2},
      {.name = "cylinder along",
       .shapes = {shape_at(Cylinder{0.1, 0.2})},
       .height = 0.1,
       .reach = 0.2,
       .orientation = along},
      lying_cylinder_slider()};
}

inline Slider planar_box_slider() {
  return {.name = "rectangle", .shapes = {shape_at(rectangle(0.2, 0.1))}, .height = 0.1, .reach = 0.2};
}

/// A disk has the moment of a lying cylinder.
inline Slider disk_slider() {
  return {.name = "disk", .shapes = {shape_at(Disk{0.1})}, .height = 0.1, .reach = 0.1, .rolling_part = 2.0 / 3.0};
}

inline std::vector<Slider> planar_sliders() {
  Polygon hexagon;
  for (int i = 0; i < 6; ++i) {
    const double angle = std::numbers::pi / 3.0 * i;
    hexagon.vertices.emplace_back(0.1 * std::cos(angle), 0.1 * std::sin(angle));
  }
  const Shape half = shape_at(rectangle(0.1, 0.1), Vec3(-0.1, 0.0, 0.0));
  return {planar_box_slider(),
          {.name = "hexagon",
           .shapes = {shape_at(hexagon)},
           .height = 0.1 * std::sin(std::numbers::pi / 3.0),
           .reach = 0.1},
          {.name = "compound of two rectangles",
           .shapes = {half, shape_at(rectangle(0.1, 0.1), Vec3(0.1, 0.0, 0.0))},
           .height = 0.1,
           .reach = 0.2},
          disk_slider(),
          {.name = "ellipse", .shapes = {shape_at(Ellipse{0.2, 0.1})}, .height = 0.1, .reach = 0.2}};
}

inline TiledFloor two_blocks(bool planar = false) {
  return {.name = "two blocks", .tiles = 2, .length = 10.0, .width = 2.0, .planar = planar};
}

inline TiledFloor twenty_tiles(bool planar = false) {
  return {.name = "20 tiles", .tiles = 20, .length = 0.5, .width = 2.0, .planar = planar};
}

/// Long enough for what slides at 10 m/s until friction stops it.
inline TiledFloor forty_tiles(bool planar = false) {
  return {.name = "40 tiles", .tiles = 40, .length = 0.5, .width = 2.0, .planar = planar};
}

/// No seam at all: what a slider does here it must do on tiles.
inline TiledFloor one_block(bool planar = false) {
  return {.name = "one block", .tiles = 1, .length = 40.0, .width = 2.0, .planar = planar};
}

inline std::vector<TiledFloor> spatial_floors() {
  TiledFloor polytopes = twenty_tiles();
  polytopes.name = "20 polytopes";
  polytopes.polytopes = true;
  TiledFloor compound = twenty_tiles();
  compound.name = "compound of 20 boxes";
  compound.compound = true;
  TiledFloor oblique = twenty_tiles();
  oblique.name = "20 tiles at 37 deg to the motion";
  oblique.width = 16.0;
  oblique.yaw = gate_angle;
  TiledFloor turned = twenty_tiles();
  turned.name = "20 tiles, all turned by 37 deg";
  turned.turn = rotation_from_vector(gate_angle * Vec3(1.0, 2.0, 3.0).normalized());
  return {two_blocks(), twenty_tiles(), polytopes, compound, oblique, turned};
}

inline std::vector<TiledFloor> planar_floors() {
  TiledFloor compound = twenty_tiles(true);
  compound.name = "compound of 20 rectangles";
  compound.compound = true;
  TiledFloor turned = twenty_tiles(true);
  turned.name = "20 tiles, all turned by 37 deg";
  turned.turn = rotation_from_vector(gate_angle * Vec3::UnitY());
  return {two_blocks(true), twenty_tiles(true), compound, turned};
}

/// Tiles before x = 0; of a single one the half.
inline double tiles_behind(const TiledFloor& floor) {
  return floor.tiles == 1 ? 0.5 : std::min(2, floor.tiles - 1);
}

inline Geometry tile_of(const TiledFloor& floor) {
  const Vec3 half(0.5 * floor.length, 0.5 * floor.width, 0.5 * tile_height);
  if (floor.planar) return rectangle(half.x(), half.z());
  if (floor.polytopes) return polytope_box(half);
  return Box{half};
}

inline void put_floor(Scene& scene, const TiledFloor& floor) {
  const Quat yaw = rotation_from_vector(Vec3(0.0, 0.0, floor.yaw));
  std::vector<Shape> shapes;
  for (int i = 0; i < floor.tiles; ++i) {
    const double centre = (i - tiles_behind(floor) + 0.5) * floor.length;
    shapes.push_back(shape_at(tile_of(floor), Vec3(centre, 0.0, -0.5 * tile_height)));
  }
  const Pose place{Vec3::Zero(), yaw};
  if (floor.compound) {
    put_fixed(scene, "floor", shapes, place);
    return;
  }
  for (Shape& shape : shapes) {
    const Pose pose = place * shape.pose;
    shape.pose = {};
    put_fixed(scene, "tile" + std::to_string(scene.model.bodies.size()), {shape}, pose);
  }
}

/// The slider is the last body. It moves along x, and its front comes to a seam that lies across after four steps.
/// `phase` in [0, 1) says where in a step.
inline Scene over_seams(const TiledFloor& floor, const Slider& slider, double speed, double mu, double h = 1e-3,
                        double phase = 0.0) {
  Scene scene = empty_scene(mu, h);
  put_floor(scene, floor);
  BodyState start;
  start.pose = {Vec3(-slider.reach - (4.0 + phase) * speed * h, 0.0, slider.height), slider.orientation};
  start.linear = Vec3(speed, 0.0, 0.0);
  put_solid(scene, "slider", slider.shapes, 1000.0, start);
  turn_scene(scene, floor.turn);
  return scene;
}

/// m: how far the slider may go on this floor before its front comes to the end.
inline double way_ahead(const TiledFloor& floor, const Slider& slider) {
  return ((floor.tiles - tiles_behind(floor)) * floor.length - 2.0 * slider.reach) * std::cos(floor.yaw);
}

/// Steps for `way` metres, but no more than `most`.
inline int steps_for(double way, double speed, double h, int most) {
  return static_cast<int>(std::min(static_cast<double>(most), way / (speed * h)));
}

struct SlideFigures {
  double changed = 0.0;        ///< m/s: the largest change of the slider's velocity from its start
  double least_forward = 0.0;  ///< m/s: the least velocity along the start's
  double lift = 0.0;           ///< m: the farthest that it was above or below its first height
  double travelled = 0.0;      ///< m, along the start's velocity
  double end_speed = 0.0;      ///< m/s
  int uncertified = 0;
};

inline SlideFigures slide(const Scene& scene, int steps) {
  World world(scene);
  const BodyState start = scene.initial.bodies.back();
  const Vec3 forward = start.linear.normalized();
  const Vec3 up = -scene.model.gravity.normalized();
  SlideFigures figures;
  figures.least_forward = start.linear.norm();
  for (int k = 0; k < steps; ++k) {
    figures.uncertified += world.step().certified ? 0 : 1;
    const BodyState& now = world.state().bodies.back();
    const Vec3 moved = now.pose.position - start.pose.position;
    figures.changed = std::max(figures.changed, (now.linear - start.linear).norm());
    figures.least_forward = std::min(figures.least_forward, now.linear.dot(forward));
    figures.lift = std::max(figures.lift, std::abs(moved.dot(up)));
    figures.travelled = moved.dot(forward);
    figures.end_speed = now.linear.norm();
  }
  return figures;
}

/// m: where Coulomb friction stops what slides. A step of q + h v moves by the velocity of its end.
inline double braking_distance(double speed, double mu, double h) {
  return 0.5 * speed * speed / (mu * gate_gravity) - 0.5 * speed * h;
}

}  // namespace cardhouse::test
