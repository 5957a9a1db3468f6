// Scenes of jointed bodies that swing: pendulum, chain, parallelogram linkage.
#include <fmt/format.h>

#include <cmath>

#include "cardhouse/scenes/building.h"

namespace cardhouse::scenes {
namespace {

/// A fixed body without shape, to hang things from.
int add_anchor(Scene& scene, const Vec3& position, bool is_planar) {
  Body anchor;
  anchor.name = "anchor";
  anchor.mobility = Mobility::fixed;
  if (is_planar) anchor.kind = BodyKind::planar;
  return add(scene, anchor, {position, Quat::Identity()});
}

/// A rod of square section along its own z axis: a box in space, a rectangle in the plane of the same mass and inertia
/// about y.
Body rod(std::string name, double length, double thickness, bool is_planar) {
  const double half = 0.5 * length;
  const double side = 0.5 * thickness;
  if (!is_planar) return solid(std::move(name), Box{Vec3(side, side, half)}, usual_density);
  const Polygon outline{{Vec2(-side, -half), Vec2(side, -half), Vec2(side, half), Vec2(-side, half)}};
  return planar(solid(std::move(name), outline, usual_density * thickness));
}

/// The direction of a hanging rod that is turned by `angle` about −y from straight down: to the right for positive.
Vec3 hanging_direction(double angle) {
  return {std::sin(angle), 0.0, -std::cos(angle)};
}

/// The pose of a rod from `start` along `direction` in the x–z plane, its own z axis pointing back to the start.
Pose rod_pose(const Vec3& start, const Vec3& direction, double length) {
  return {start + 0.5 * length * direction, turn_about_y(std::atan2(-direction.x(), -direction.z()))};
}

Joint joint_of(std::string name, JointKind kind, int first, int second) {
  Joint joint;
  joint.name = std::move(name);
  joint.kind = kind;
  joint.first = first;
  joint.second = second;
  return joint;
}

/// Turns about y at `anchor`.
void add_pivot(Scene& scene, std::string name, JointKind kind, int first, int second, const Vec3& anchor) {
  Joint joint = joint_of(std::move(name), kind, first, second);
  place_joint(joint, scene.initial, anchor, Vec3::UnitY());
  scene.model.joints.push_back(joint);
}

/// A uniform rod, or for `distance` a ball on a massless rod.
Scene pendulum(const Parameters& p) {
  const std::string& kind = p.choice("joint");
  const double length = p.number("length");
  const Vec3 direction = hanging_direction(radians(p.number("angle")));
  const bool is_planar = kind == "revolute";
  Scene scene = start_scene(p, "A rod swings from one of its ends, or a ball from a massless rod.", 0.5);
  const int anchor = add_anchor(scene, Vec3::Zero(), is_planar);
  if (kind == "distance") {
    const int ball =
        add(scene, solid("ball", Sphere{0.05 * length}, usual_density), {length * direction, Quat::Identity()});
    Joint joint = joint_of("rod", JointKind::distance, ball, anchor);
    joint.length = length;
    scene.model.joints.push_back(joint);
  } else {
    const int body =
        add(scene, rod("rod", length, 0.05 * length, is_planar), rod_pose(Vec3::Zero(), direction, length));
    const JointKind type = kind == "hinge" ? JointKind::hinge : kind == "ball" ? JointKind::ball : JointKind::revolute;
    add_pivot(scene, "pivot", type, body, anchor, Vec3::Zero());
  }
  scene.duration = 10.0;
  return scene;
}

/// Rods from the origin to the right, or straight down, each held to the one before.
Scene chain(const Parameters& p) {
  const int links = p.integer("links");
  const double length = p.number("length");
  const bool is_planar = p.choice("joint") == "revolute";
  const JointKind kind = is_planar                      ? JointKind::revolute
                         : p.choice("joint") == "hinge" ? JointKind::hinge
                                                        : JointKind::ball;
  const Vec3 direction = hanging_direction(radians(p.number("angle")));
  Scene scene = start_scene(p, "A chain of rods that hangs from its end; the last link may be heavier.", 0.5);
  int before = add_anchor(scene, Vec3::Zero(), is_planar);
  for (int i = 0; i < links; ++i) {
    const Vec3 start = i * length * direction;
    Body link = rod(fmt::format("link_{}", i), length, 0.1 * length, is_planar);
    if (i + 1 == links) {
      link.mass *= p.number("ratio");
      link.inertia *= p.number("ratio");
    }
    const int body = add(scene, link, rod_pose(start, direction, length));
    add_pivot(scene, fmt::format("joint_{}", i), kind, body, before, start);
    before = body;
  }
  scene.duration = 10.0;
  return scene;
}

/// Cranks of 1 m that hang side by side from the ground, 1 m apart, and a coupler along their lower ends. Two make a
/// parallelogram, in which the coupler stays level; more are redundant, and the last one's upper pivot is off by
/// `offset`. In space every joint is a hinge, and all that holds the linkage in its plane is redundant too.
Scene parallelogram(const Parameters& p) {
  constexpr double length = 1.0;
  constexpr double spacing = 1.0;
  constexpr double thickness = 0.05;
  const int cranks = p.integer("cranks");
  const bool is_planar = p.choice("kind") == "planar";
  const JointKind kind = is_planar ? JointKind::revolute : JointKind::hinge;
  const Vec3 direction = hanging_direction(radians(p.number("angle")));
  Scene scene = start_scene(p, "Parallel cranks carry a level coupler; the last one does not quite fit.", 0.5);
  const int anchor = add_anchor(scene, Vec3::Zero(), is_planar);
  const double span = (cranks - 1) * spacing;
  Body coupler = rod("coupler", span, thickness, is_planar);
  const Vec3 left_end = length * direction;
  const int bar = add(scene, coupler, rod_pose(left_end, Vec3::UnitX(), span));
  for (int i = 0; i < cranks; ++i) {
    const Vec3 pivot(i * spacing, 0.0, 0.0);
    const int crank =
        add(scene, rod(fmt::format("crank_{}", i), length, thickness, is_planar), rod_pose(pivot, direction, length));
    add_pivot(scene, fmt::format("upper_{}", i), kind, crank, anchor, pivot);
    if (i + 1 == cranks) scene.model.joints.back().frame_second.position.x() += p.number("offset");
    add_pivot(scene, fmt::format("lower_{}", i), kind, bar, crank, pivot + length * direction);
  }
  scene.duration = 60.0;
  return scene;
}

}  // namespace

SceneDefinition pendulum_definition() {
  return {"pendulum",
          "a rod that swings from its end",
          {choice("joint", {"hinge", "ball", "revolute", "distance"}, "what it hangs from; distance: a ball on a rod"),
           number("angle", "60", "deg", -180.0, 180.0, "from straight down at the start"),
           number("length", "1", "m", 0.01, 100.0, "of the rod")},
          pendulum};
}

SceneDefinition chain_definition() {
  return {"chain",
          "a chain that swings from its end",
          {choice("joint", {"ball", "hinge", "revolute"}, "between the links; revolute: a planar chain"),
           integer("links", "10", 1, 1000, "rods"), number("length", "0.1", "m", 0.001, 10.0, "of a link"),
           number("angle", "90", "deg", -180.0, 180.0, "from straight down at the start"),
           number("ratio", "1", "-", 1e-4, 1e4, "mass of the last link to that of the others")},
          chain};
}

SceneDefinition parallelogram_definition() {
  return {"parallelogram",
          "a linkage of parallel cranks, one more than it needs",
          {choice("kind", {"planar", "spatial"}, "planar bodies, or hinges in space"),
           integer("cranks", "3", 2, 20, "side by side"),
           number("offset", "1e-6", "m", -0.01, 0.01, "of the last crank's upper pivot to the right"),
           number("angle", "30", "deg", -90.0, 90.0, "of the cranks from straight down at the start")},
          parallelogram};
}

}  // namespace cardhouse::scenes
