#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "cardhouse/collision/narrow_phase.h"

namespace cardhouse::testing {

using Manifold = std::vector<ManifoldPoint>;

inline Manifold collide(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin) {
  Manifold manifold;
  cardhouse::collide(a, pose_a, b, pose_b, margin, manifold);
  return manifold;
}

inline Pose at(double x, double y, double z, const Vec3& rotation = Vec3::Zero()) {
  return {Vec3(x, y, z), rotation_from_vector(rotation)};
}

inline Geometry box(double x, double y, double z) {
  return Box{Vec3(x, y, z)};
}

inline Geometry polytope(const Hull& hull) {
  return Polytope{std::make_shared<const Hull>(hull)};
}

inline std::vector<FeatureId> features(const Manifold& manifold) {
  std::vector<FeatureId> ids;
  for (const ManifoldPoint& p : manifold) ids.push_back(p.feature);
  return ids;
}

inline double least_gap(const Manifold& manifold) {
  double gap = INFINITY;
  for (const ManifoldPoint& p : manifold) gap = std::min(gap, p.gap);
  return gap;
}

/// What every manifold promises: on_a − on_b = gap · normal, unit normals, gaps within the margin, distinct features.
inline void expect_consistent(const Manifold& manifold, double margin, double size) {
  for (const ManifoldPoint& p : manifold) {
    // Round-off of coordinates as large as the scene.
    EXPECT_LE((p.on_a - p.on_b - p.gap * p.normal).norm(), 1e-14 * (size + p.on_a.norm()));
    EXPECT_NEAR(p.normal.norm(), 1.0, 1e-14);
    EXPECT_LE(p.gap, margin + 1e-12 * size);
  }
  std::vector<FeatureId> ids = features(manifold);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 in_cube(double half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Quat orientation() {
    std::normal_distribution<double> normal;
    return Quat(normal(engine_), normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Pose pose(double half) { return {in_cube(half), orientation()}; }

  Geometry box() { return Box{Vec3(uniform(0.1, 1.0), uniform(0.1, 1.0), uniform(0.1, 1.0))}; }
  Geometry hull(int points) {
    std::vector<Vec3> cloud;
    const Vec3 scale(uniform(0.3, 1.0), uniform(0.3, 1.0), uniform(0.3, 1.0));
    for (int i = 0; i < points; ++i) cloud.push_back(scale.cwiseProduct(direction()));
    return polytope(hull_of_points(cloud));
  }
  Geometry capsule() { return Capsule{uniform(0.1, 0.4), uniform(0.2, 1.0)}; }
  Geometry sphere() { return Sphere{uniform(0.1, 1.0)}; }

 private:
  std::mt19937_64 engine_;
};

/// Moves a pose by up to `shift` along and `turn` about each axis.
inline Pose jittered(const Pose& pose, Random& random, double shift, double turn) {
  return {pose.position + random.in_cube(shift),
          (rotation_from_vector(random.in_cube(turn)) * pose.orientation).normalized()};
}

}  // namespace cardhouse::testing
