#include "cardhouse/scenes/building.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>

#include "cardhouse/geometry/mass_properties.h"

namespace cardhouse::scenes {
namespace {

Vec2 centroid(std::span<const Vec2> outline) {
  // Relative to the first vertex, so that nothing cancels for outlines far from the origin.
  const Vec2& origin = outline.front();
  double twice_area = 0.0;
  Vec2 moment = Vec2::Zero();
  for (std::size_t i = 1; i + 1 < outline.size(); ++i) {
    const Vec2 a = outline[i] - origin;
    const Vec2 b = outline[i + 1] - origin;
    const double twice = a.x() * b.y() - a.y() * b.x();
    twice_area += twice;
    moment += twice * (a + b) / 3.0;
  }
  return origin + moment / twice_area;
}

}  // namespace

Scene start_scene(const Parameters& parameters, std::string description, double mu, double restitution) {
  Scene scene;
  scene.name = parameters.scene();
  scene.description = std::move(description);
  scene.parameters = parameters.texts();
  scene.model.materials = {
      Material{.name = "default", .mu = mu, .restitution = restitution, .anisotropy = std::nullopt}};
  scene.settings.step = 1e-3;
  return scene;
}

double radians(double degrees) {
  return degrees * (std::numbers::pi / 180.0);
}

Quat turn_about_y(double angle) {
  return rotation_from_vector(Vec3(0.0, angle, 0.0));
}

Body solid(std::string name, const Geometry& geometry, double density) {
  Body body;
  body.name = std::move(name);
  body.shapes = {Shape{.geometry = geometry, .pose = {}, .material = 0}};
  const MassProperties unit = mass_properties(body.shapes);
  body.mass = density * unit.volume;
  body.inertia = density * unit.inertia;
  return body;
}

Body still(std::string name, const Geometry& geometry) {
  Body body;
  body.name = std::move(name);
  body.mobility = Mobility::fixed;
  body.shapes = {Shape{.geometry = geometry, .pose = {}, .material = 0}};
  return body;
}

Body planar(Body body) {
  body.kind = BodyKind::planar;
  return body;
}

int add(Scene& scene, Body body, const Pose& pose, const Vec3& velocity) {
  scene.model.bodies.push_back(std::move(body));
  scene.initial.bodies.push_back({.pose = pose, .linear = velocity, .angular = Vec3::Zero()});
  scene.initial.initial_poses.push_back(pose);
  return static_cast<int>(scene.model.bodies.size()) - 1;
}

int add_ground(Scene& scene, const Vec3& half_extents, double top) {
  const Pose pose{Vec3(0.0, 0.0, top - half_extents.z()), Quat::Identity()};
  return add(scene, still("ground", Box{half_extents}), pose);
}

Prism prism(std::string name, std::span<const Vec2> outline, double depth, double density) {
  const Vec2 centre = centroid(outline);
  std::vector<Vec3> corners;
  for (const Vec2& point : outline) {
    const Vec2 local = point - centre;
    corners.emplace_back(local.x(), -0.5 * depth, local.y());
    corners.emplace_back(local.x(), 0.5 * depth, local.y());
  }
  const Polytope polytope{std::make_shared<const Hull>(hull_of_points(corners))};
  return {solid(std::move(name), polytope, density), Vec3(centre.x(), 0.0, centre.y())};
}

double Random::uniform(double lower, double upper) {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t bits = state_;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  return lower + (upper - lower) * (static_cast<double>(bits >> 11) * 0x1p-53);
}

Quat Random::rotation() {
  const double split = uniform(0.0, 1.0);
  const double first = uniform(0.0, 2.0 * std::numbers::pi);
  const double second = uniform(0.0, 2.0 * std::numbers::pi);
  const double minor = std::sqrt(1.0 - split);
  const double major = std::sqrt(split);
  return Quat(major * std::cos(second), minor * std::sin(first), minor * std::cos(first), major * std::sin(second))
      .normalized();
}

}  // namespace cardhouse::scenes
