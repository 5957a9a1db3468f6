#include "cardhouse/geometry/aabb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace cardhouse {
namespace {

Vec3 in_plane(double x, double z) {
  return {x, 0.0, z};
}

/// Points that cover the surface of a shape densely, its extreme points among them.
std::vector<Vec3> surface(const Geometry& geometry) {
  std::vector<Vec3> points;
  const auto ring = [&](double radius, double z) {
    for (int i = 0; i < 240; ++i) {
      const double t = i * std::numbers::pi / 120.0;
      points.emplace_back(radius * std::cos(t), radius * std::sin(t), z);
    }
  };
  const auto ball = [&](double radius, double shift) {
    for (int i = 0; i <= 120; ++i) {
      const double t = (i - 60) * std::numbers::pi / 120.0;
      ring(radius * std::cos(t), radius * std::sin(t) + shift);
    }
  };
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) ball(sphere->radius, 0.0);
  if (const auto* box = std::get_if<Box>(&geometry)) points = box_hull(box->half_extents).vertices;
  if (const auto* polytope = std::get_if<Polytope>(&geometry)) points = polytope->hull->vertices;
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    ball(capsule->radius, capsule->half_length);
    ball(capsule->radius, -capsule->half_length);
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) {
    ring(cylinder->radius, cylinder->half_length);
    ring(cylinder->radius, -cylinder->half_length);
  }
  for (int i = 0; i < 3600; ++i) {
    const double t = i * std::numbers::pi / 1800.0;
    if (const auto* disk = std::get_if<Disk>(&geometry)) {
      points.push_back(in_plane(disk->radius * std::cos(t), disk->radius * std::sin(t)));
    }
    if (const auto* ellipse = std::get_if<Ellipse>(&geometry)) {
      points.push_back(in_plane(ellipse->semi_axis_x * std::cos(t), ellipse->semi_axis_z * std::sin(t)));
    }
  }
  if (const auto* polygon = std::get_if<Polygon>(&geometry)) {
    for (const Vec2& v : polygon->vertices) points.push_back(in_plane(v.x(), v.y()));
  }
  if (const auto* segment = std::get_if<Segment>(&geometry)) {
    points = {in_plane(segment->start.x(), segment->start.y()), in_plane(segment->end.x(), segment->end.y())};
  }
  return points;
}

std::vector<Geometry> finite_kinds() {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.1, 1}};
  return {Sphere{0.7},
          Box{Vec3(0.3, 0.5, 0.9)},
          Capsule{0.3, 0.8},
          Cylinder{0.3, 0.8},
          Polytope{std::make_shared<const Hull>(hull_of_points(points))},
          Disk{0.6},
          Ellipse{0.9, 0.4},
          Polygon{{{0, 0}, {1, 0}, {0.3, 0.8}}},
          Segment{{-0.2, 0.1}, {0.9, 0.4}}};
}

TEST(Aabb, IsTheTightestBoxForEveryKindAndTurn) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  for (const Geometry& geometry : finite_kinds()) {
    for (int i = 0; i < 20; ++i) {
      Quat turn(normal(engine), normal(engine), normal(engine), normal(engine));
      if (is_planar(geometry)) turn = rotation_from_vector(Vec3(0, normal(engine), 0));
      const Pose pose{Vec3(1, 2, 3), turn.normalized()};
      Vec3 lower = Vec3::Constant(1e9);
      Vec3 upper = Vec3::Constant(-1e9);
      for (const Vec3& p : surface(geometry)) {
        lower = lower.cwiseMin(pose.apply(p));
        upper = upper.cwiseMax(pose.apply(p));
      }
      const Aabb box = bounding_box(geometry, pose, 0.01);
      // Sampling by 1.5° misses an extreme point by (0.75°)²/2 = 9e-5 of the radius, in each of two directions.
      EXPECT_TRUE(((lower - box.lower).array() - 0.01).abs().maxCoeff() < 2e-4) << shape_name(geometry);
      EXPECT_TRUE(((box.upper - upper).array() - 0.01).abs().maxCoeff() < 2e-4) << shape_name(geometry);
    }
  }
}

TEST(Aabb, OfAHalfSpaceIsFiniteAlongAnAxisAlone) {
  const Aabb flat = bounding_box(HalfSpace{}, {Vec3(1, 2, 3), Quat::Identity()}, 0.5);
  EXPECT_EQ(flat.upper.z(), 3.5);
  EXPECT_EQ(flat.lower.z(), -INFINITY);
  EXPECT_EQ(flat.upper.x(), INFINITY);
  const Aabb below = bounding_box(HalfSpace{-Vec3::UnitX()}, {Vec3(1, 2, 3), Quat::Identity()}, 0.0);
  EXPECT_EQ(below.lower.x(), 1.0);
  EXPECT_EQ(below.upper.x(), INFINITY);
  const Aabb tilted = bounding_box(HalfSpace{Vec3(0, 1, 1)}, {}, 0.0);
  EXPECT_EQ(tilted.upper, Vec3::Constant(INFINITY));
}

TEST(BoundingRadius, IsTheDistanceOfTheFarthestPoint) {
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal;
  for (const Geometry& geometry : finite_kinds()) {
    if (std::holds_alternative<Ellipse>(geometry)) continue;  // an upper bound, see below
    for (int i = 0; i < 20; ++i) {
      const Pose pose{Vec3(normal(engine), normal(engine), normal(engine)),
                      Quat(normal(engine), normal(engine), normal(engine), normal(engine)).normalized()};
      double farthest = 0.0;
      for (const Vec3& p : surface(geometry)) farthest = std::max(farthest, pose.apply(p).norm());
      EXPECT_NEAR(bounding_radius({geometry, pose, 0}), farthest, 2e-4) << shape_name(geometry);
    }
  }
  EXPECT_EQ(bounding_radius({HalfSpace{}, {}, 0}), INFINITY);
  EXPECT_EQ(bounding_radius({Ellipse{0.9, 0.4}, {}, 0}), 0.9);
  EXPECT_GE(bounding_radius({Ellipse{0.9, 0.4}, {Vec3(0, 0, 2), Quat::Identity()}, 0}), 2.4);
}

TEST(CharacteristicSize, IsHalfTheDiagonal) {
  EXPECT_DOUBLE_EQ(characteristic_size(Box{Vec3(2, 3, 6)}), 7.0);
  EXPECT_DOUBLE_EQ(characteristic_size(Segment{{0, 0}, {3, 4}}), 2.5);
  EXPECT_EQ(characteristic_size(HalfSpace{}), 0.0);
}

}  // namespace
}  // namespace cardhouse
