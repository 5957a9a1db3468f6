// The tightest axis-aligned boxes. The extent of a set along the world axis e is max e·x, so row k of the rotation
// matrix R, applied to the shape's own support function, gives the half-extent along world axis k.
#include "cardhouse/geometry/aabb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Aabb around(const Vec3& centre, const Vec3& half) {
  return {centre - half, centre + half};
}

/// The box around points given by a function of their number.
template <class PointAt>
Aabb around_points(std::size_t count, const PointAt& point) {
  Aabb box{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p = point(i);
    box.lower = box.lower.cwiseMin(p);
    box.upper = box.upper.cwiseMax(p);
  }
  return box;
}

/// Half-extents of the disk with unit normal `axis`: radius times the sine between the axis and each world axis.
Vec3 disk_half_extents(const Vec3& axis, double radius) {
  return radius * (1.0 - axis.array().square()).max(0.0).sqrt();
}

Vec3 in_plane(const Vec2& point) {
  return {point.x(), 0.0, point.y()};
}

Aabb box_of(const Sphere& sphere, const Pose& pose) {
  return around(pose.position, Vec3::Constant(sphere.radius));
}

Aabb box_of(const Box& box, const Pose& pose) {
  return around(pose.position, pose.orientation.toRotationMatrix().cwiseAbs() * box.half_extents);
}

Aabb box_of(const Capsule& capsule, const Pose& pose) {
  const Vec3 axis = pose.orientation * Vec3::UnitZ();
  return around(pose.position, (capsule.half_length * axis.cwiseAbs()).array() + capsule.radius);
}

Aabb box_of(const Cylinder& cylinder, const Pose& pose) {
  const Vec3 axis = pose.orientation * Vec3::UnitZ();
  return around(pose.position, cylinder.half_length * axis.cwiseAbs() + disk_half_extents(axis, cylinder.radius));
}

Aabb box_of(const Polytope& polytope, const Pose& pose) {
  const auto& vertices = polytope.hull->vertices;
  const Mat3 rotation = pose.orientation.toRotationMatrix();
  return around_points(vertices.size(), [&](std::size_t i) -> Vec3 { return pose.position + rotation * vertices[i]; });
}

Aabb box_of(const HalfSpace& half_space, const Pose& pose) {
  const Vec3 normal = (pose.orientation * half_space.normal).normalized();
  Aabb box{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  for (int k = 0; k < 3; ++k) {
    // A tilt below 1e-12 raises the surface by less than a nanometre over a kilometre.
    if (std::hypot(normal[(k + 1) % 3], normal[(k + 2) % 3]) > 1e-12) continue;
    (normal[k] > 0.0 ? box.upper : box.lower)[k] = pose.position[k];
  }
  return box;
}

Aabb box_of(const Disk& disk, const Pose& pose) {
  return around(pose.position, disk_half_extents(pose.orientation * Vec3::UnitY(), disk.radius));
}

Aabb box_of(const Ellipse& ellipse, const Pose& pose) {
  const Mat3 rotation = pose.orientation.toRotationMatrix();
  const auto x = (ellipse.semi_axis_x * rotation.col(0)).array();
  const auto z = (ellipse.semi_axis_z * rotation.col(2)).array();
  return around(pose.position, (x.square() + z.square()).sqrt().matrix());
}

Aabb box_of(const Polygon& polygon, const Pose& pose) {
  return around_points(polygon.vertices.size(),
                       [&](std::size_t i) { return pose.apply(in_plane(polygon.vertices[i])); });
}

Aabb box_of(const Segment& segment, const Pose& pose) {
  return around_points(2, [&](std::size_t i) { return pose.apply(in_plane(i == 0 ? segment.start : segment.end)); });
}

/// The farthest point from the origin of a circle around `centre`, perpendicular to the unit vector `axis`.
double farthest_on_circle(const Vec3& centre, const Vec3& axis, double radius) {
  const double height = axis.dot(centre);
  return std::hypot(height, (centre - height * axis).norm() + radius);
}

double radius_of(const Sphere& sphere, const Pose& pose) {
  return pose.position.norm() + sphere.radius;
}

double radius_of(const Box& box, const Pose& pose) {
  // The farthest corner lies, seen in the box's frame, on the side where the centre lies from the origin.
  const Vec3 centre = pose.orientation.conjugate() * pose.position;
  return (centre.cwiseAbs() + box.half_extents).norm();
}

double radius_of(const Capsule& capsule, const Pose& pose) {
  const Vec3 arm = pose.orientation * Vec3(0.0, 0.0, capsule.half_length);
  return std::max((pose.position + arm).norm(), (pose.position - arm).norm()) + capsule.radius;
}

double radius_of(const Cylinder& cylinder, const Pose& pose) {
  const Vec3 axis = pose.orientation * Vec3::UnitZ();
  const Vec3 arm = cylinder.half_length * axis;
  return std::max(farthest_on_circle(pose.position + arm, axis, cylinder.radius),
                  farthest_on_circle(pose.position - arm, axis, cylinder.radius));
}

double radius_of(const Polytope& polytope, const Pose& pose) {
  double radius = 0.0;
  for (const Vec3& v : polytope.hull->vertices) radius = std::max(radius, pose.apply(v).norm());
  return radius;
}

double radius_of(const HalfSpace&, const Pose&) {
  return kInfinity;
}

double radius_of(const Disk& disk, const Pose& pose) {
  return farthest_on_circle(pose.position, pose.orientation * Vec3::UnitY(), disk.radius);
}

double radius_of(const Ellipse& ellipse, const Pose& pose) {
  const Vec3 axis = pose.orientation * Vec3::UnitY();
  return farthest_on_circle(pose.position, axis, std::max(ellipse.semi_axis_x, ellipse.semi_axis_z));
}

double radius_of(const Polygon& polygon, const Pose& pose) {
  double radius = 0.0;
  for (const Vec2& v : polygon.vertices) radius = std::max(radius, pose.apply(in_plane(v)).norm());
  return radius;
}

double radius_of(const Segment& segment, const Pose& pose) {
  return std::max(pose.apply(in_plane(segment.start)).norm(), pose.apply(in_plane(segment.end)).norm());
}

}  // namespace

Aabb bounding_box(const Geometry& geometry, const Pose& pose, double margin) {
  Aabb box = std::visit([&](const auto& shape) { return box_of(shape, pose); }, geometry);
  box.lower.array() -= margin;
  box.upper.array() += margin;
  return box;
}

double bounding_radius(const Shape& shape) {
  return std::visit([&](const auto& geometry) { return radius_of(geometry, shape.pose); }, shape.geometry);
}

double characteristic_size(const Geometry& geometry) {
  if (std::holds_alternative<HalfSpace>(geometry)) return 0.0;
  const Aabb box = bounding_box(geometry, Pose{}, 0.0);
  return 0.5 * (box.upper - box.lower).norm();
}

}  // namespace cardhouse
