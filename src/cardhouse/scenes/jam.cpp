// Jamming (Kaufman 2009, section 7.3.3): a wedge that fits through a funnel's throat upright falls in aslant and meets
// both walls. It can rest there when a line of action in the friction cone at one wall and one at the other meet on the
// vertical through its centre of mass: for these measures from a friction angle of 18° on, mu = 0.32. With much less
// friction it turns upright and slips through.
#include <algorithm>
#include <array>
#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

constexpr double wall_angle = 35.0;           // deg, from the vertical
constexpr double wedge_angle = 60.0;          // deg, of the wedge's axis from the vertical
constexpr double throat = 0.26;               // m, wide; at z = 0
constexpr double wall_length = 0.8;           // m, along the slope
constexpr double half_wall_thickness = 0.05;  // m
constexpr double half_wall_depth = 0.3;       // m, along y
constexpr double wedge_depth = 0.2;           // m, along y
constexpr double floor_height = -1.0;         // m

/// 0.5 m long, 0.2 m wide at the top and 0.1 m at the tip: (x, z).
const std::array<Vec2, 4> wedge_outline = {Vec2(-0.05, -0.25), Vec2(0.05, -0.25), Vec2(0.1, 0.25), Vec2(-0.1, 0.25)};

/// side: +1 for the wall at +x, −1 for the other.
void add_wall(Scene& scene, const char* name, double side) {
  const Quat turn = turn_about_y(side * radians(wall_angle));
  const Vec3 lower_edge(side * 0.5 * throat, 0.0, 0.0);
  const Vec3 centre = lower_edge + turn * Vec3(side * half_wall_thickness, 0.0, 0.5 * wall_length);
  add(scene, still(name, Box{Vec3(half_wall_thickness, half_wall_depth, 0.5 * wall_length)}), {centre, turn});
}

/// Where the centre of the turned wedge is when it touches both walls.
Vec3 touching_centre(const Body& wedge, const Quat& turn) {
  const double sine = std::sin(radians(wall_angle));
  const double cosine = std::cos(radians(wall_angle));
  // Each wall demands normal · (centre + corner − edge of the throat) ≥ 0, with equality for the nearest corner.
  double left = -1e300;
  double right = -1e300;
  for (const Vec3& corner : std::get<Polytope>(wedge.shapes[0].geometry).hull->vertices) {
    const Vec3 arm = turn * corner;
    left = std::max(left, cosine * (-0.5 * throat - arm.x()) - sine * arm.z());
    right = std::max(right, -cosine * (0.5 * throat - arm.x()) - sine * arm.z());
  }
  return {(left - right) / (2.0 * cosine), 0.0, (left + right) / (2.0 * sine)};
}

Scene jam(const Parameters& p) {
  Scene scene = start_scene(p, "A wedge falls aslant into a funnel: it jams, or slips through.", p.number("mu"));
  add_ground(scene, Vec3(2.0, 2.0, 0.05), floor_height);
  add_wall(scene, "wall_L", -1.0);
  add_wall(scene, "wall_R", 1.0);
  const Prism wedge = prism("wedge", wedge_outline, wedge_depth, 1000.0);
  const Quat turn = turn_about_y(radians(wedge_angle));
  const Vec3 start = touching_centre(wedge.body, turn) + Vec3(0.0, 0.0, p.number("drop"));
  const int body = add(scene, wedge.body, {start, turn});
  scene.duration = 3.0;
  // Standing means jammed: it comes to rest within a quarter of its length of where it meets the walls; one that slips
  // through ends a metre below.
  scene.stands = StandsRule{.bodies = {body}, .max_displacement = p.number("drop") + 0.13, .after = 0.0};
  return scene;
}

}  // namespace

SceneDefinition jam_definition() {
  return {"jam",
          "a wedge falls into a funnel and jams",
          {number("mu", "0.6", "-", 0.0, 10.0, "coefficient of friction"),
           number("drop", "0.02", "m", 0.0, 1.0, "height of the wedge above the place where it meets both walls")},
          jam};
}

}  // namespace cardhouse::scenes
