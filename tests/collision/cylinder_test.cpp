#include "cardhouse/collision/cylinder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

constexpr double kPi = std::numbers::pi;

// Lengths are of order 1, so this is a few hundred times round-off.
constexpr double kRoundOff = 1e-13;

// What ties may cost: see kTie and kUpright in the sources.
constexpr double kTie = 2e-6;

Pose at(const Vec3& position, const Vec3& axis = Vec3::UnitZ(), double angle = 0.0) {
  return {position, Quat(Eigen::AngleAxisd(angle, axis.normalized()))};
}

std::vector<ManifoldPoint> touch(const Cylinder& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
                                 double margin = 0.1) {
  std::vector<ManifoldPoint> manifold;
  collide_cylinder(a, pose_a, b, pose_b, margin, manifold);
  return manifold;
}

std::set<FeatureId> features(const std::vector<ManifoldPoint>& manifold) {
  std::set<FeatureId> result;
  for (const ManifoldPoint& p : manifold) result.insert(p.feature);
  return result;
}

const ManifoldPoint& deepest(const std::vector<ManifoldPoint>& manifold) {
  return *std::min_element(manifold.begin(), manifold.end(),
                           [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.gap < q.gap; });
}

void expect_flat(const std::vector<ManifoldPoint>& manifold, std::size_t count, double gap, const Vec3& normal) {
  EXPECT_EQ(manifold.size(), count);
  for (const ManifoldPoint& p : manifold) {
    EXPECT_NEAR(p.gap, gap, kRoundOff);
    EXPECT_LT((p.normal - normal).norm(), 1e-12);  // searches stop 1e-13 rad beside a kink
  }
}

/// The area of the convex hull of the points on a, seen along z.
double support_area(const std::vector<ManifoldPoint>& manifold) {
  Vec3 middle = Vec3::Zero();
  for (const ManifoldPoint& p : manifold) middle += p.on_a / static_cast<double>(manifold.size());
  std::vector<Vec2> points;
  for (const ManifoldPoint& p : manifold) points.emplace_back((p.on_a - middle).head<2>());
  std::sort(points.begin(), points.end(),
            [](const Vec2& p, const Vec2& q) { return std::atan2(p.y(), p.x()) < std::atan2(q.y(), q.x()); });
  double area = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2& p = points[i];
    const Vec2& q = points[(i + 1) % points.size()];
    area += 0.5 * (p.x() * q.y() - p.y() * q.x());
  }
  return area;
}

// ---- definitions of the solids, for brute force
// -----------------------------------------------------------------------

/// How far the solid reaches along n from the world's origin.
double reach(const Geometry& geometry, const Pose& pose, const Vec3& n) {
  const Vec3 m = pose.orientation.conjugate() * n;
  double extent = 0.0;
  if (const auto* s = std::get_if<Sphere>(&geometry)) extent = s->radius;
  if (const auto* b = std::get_if<Box>(&geometry)) extent = b->half_extents.dot(m.cwiseAbs());
  if (const auto* c = std::get_if<Capsule>(&geometry)) extent = c->radius + c->half_length * std::abs(m.z());
  if (const auto* c = std::get_if<Cylinder>(&geometry)) {
    extent = c->radius * std::hypot(m.x(), m.y()) + c->half_length * std::abs(m.z());
  }
  if (const auto* p = std::get_if<Polytope>(&geometry)) {
    extent = -std::numeric_limits<double>::infinity();
    for (const Vec3& v : p->hull->vertices) extent = std::max(extent, m.dot(v));
  }
  return n.dot(pose.position) + extent;
}

/// How far x is outside the solid, at least: 0 or less inside.
double outside(const Geometry& geometry, const Pose& pose, const Vec3& x) {
  const Vec3 p = pose.apply_inverse(x);
  if (const auto* s = std::get_if<Sphere>(&geometry)) return p.norm() - s->radius;
  if (const auto* b = std::get_if<Box>(&geometry)) return (p.cwiseAbs() - b->half_extents).maxCoeff();
  if (const auto* c = std::get_if<Capsule>(&geometry)) {
    return (p - Vec3(0.0, 0.0, std::clamp(p.z(), -c->half_length, c->half_length))).norm() - c->radius;
  }
  if (const auto* c = std::get_if<Cylinder>(&geometry)) {
    return std::max(std::hypot(p.x(), p.y()) - c->radius, std::abs(p.z()) - c->half_length);
  }
  double worst = -std::numeric_limits<double>::infinity();
  for (const Hull::Face& face : std::get<Polytope>(geometry).hull->faces) {
    worst = std::max(worst, face.normal.dot(p) - face.offset);
  }
  return worst;
}

/// The separation maximised over directions: a spiral of samples, then a shrinking compass search from the best ones.
double brute_force(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b) {
  const auto s = [&](const Vec3& n) { return -reach(a, pose_a, -n) - reach(b, pose_b, n); };
  std::vector<std::pair<double, Vec3>> samples;
  constexpr int kSamples = 1500;
  for (int i = 0; i < kSamples; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / kSamples;
    const double t = kPi * (3.0 - std::sqrt(5.0)) * i;
    const Vec3 n(std::sqrt(1.0 - z * z) * std::cos(t), std::sqrt(1.0 - z * z) * std::sin(t), z);
    samples.emplace_back(s(n), n);
  }
  std::partial_sort(samples.begin(), samples.begin() + 6, samples.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = samples[0].first;
  for (int i = 0; i < 6; ++i) {
    Vec3 n = samples[i].second;
    double value = samples[i].first;
    int moves = 0;
    for (double step = 0.1; step > 1e-7 && moves < 200; ++moves) {
      const Vec3 u = n.unitOrthogonal();
      const Vec3 w = n.cross(u);
      bool moved = false;
      for (int k = 0; k < 16 && !moved; ++k) {
        const double t = 2.0 * kPi * k / 16;
        const Vec3 next = (n + step * (std::cos(t) * u + std::sin(t) * w)).normalized();
        if (s(next) > value) {
          value = s(next);
          n = next;
          moved = true;
        }
      }
      if (!moved) step *= 0.5;
    }
    best = std::max(best, value);
  }
  return best;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 vector(double extent) { return {in(-extent, extent), in(-extent, extent), in(-extent, extent)}; }
  Quat rotation() {
    Quat q(in(-1.0, 1.0), in(-1.0, 1.0), in(-1.0, 1.0), in(-1.0, 1.0));
    return q.normalized();
  }
  Cylinder cylinder() { return {in(0.1, 1.0), in(0.1, 1.0)}; }
  Geometry solid(int kind) {
    switch (kind) {
      case 0:
        return Sphere{in(0.1, 1.0)};
      case 1:
        return Box{Vec3(in(0.1, 1.0), in(0.1, 1.0), in(0.1, 1.0))};
      case 2:
        return Capsule{in(0.1, 0.5), in(0.1, 1.0)};
      case 3:
        return cylinder();
      default: {
        std::vector<Vec3> points;
        for (int i = 0; i < 10; ++i) points.push_back(vector(0.8));
        return Polytope{std::make_shared<const Hull>(hull_of_points(points))};
      }
    }
  }

 private:
  std::mt19937 engine_;
};

constexpr std::array<const char*, 5> kKinds{"sphere", "box", "capsule", "cylinder", "polytope"};

// ---- half-space
// -------------------------------------------------------------------------------------------------------

TEST(CylinderOnHalfSpace, LyingTouchesWithTheEndsOfItsLowestGenerator) {
  const auto manifold =
      touch({0.5, 1.0}, at(Vec3(0.0, 0.0, 0.49), Vec3::UnitY(), 0.5 * kPi), HalfSpace{}, at(Vec3::Zero()));
  expect_flat(manifold, 2, -0.01, Vec3::UnitZ());
  EXPECT_NEAR((manifold[0].on_a - manifold[1].on_a).norm(), 2.0, kRoundOff);
}

TEST(CylinderOnHalfSpace, StandingTouchesWithFourPointsThatTurnWithIt) {
  const auto manifold = touch({0.5, 1.0}, at(Vec3(0.0, 0.0, 1.02), Vec3::UnitZ(), 0.3), HalfSpace{}, at(Vec3::Zero()));
  expect_flat(manifold, 4, 0.02, Vec3::UnitZ());
  EXPECT_NEAR(std::atan2(manifold[0].on_a.y(), manifold[0].on_a.x()), 0.3, kRoundOff);
}

TEST(CylinderOnHalfSpace, TiltedTouchesWithItsLowestRimPoint) {
  const double tilt = 0.4;
  const double lowest = 0.5 * std::sin(tilt) + 1.0 * std::cos(tilt);
  const auto manifold = touch({0.5, 1.0}, at(Vec3(0.0, 0.0, lowest + 0.01), Vec3(1.0, 2.0, 0.0), tilt), HalfSpace{},
                              at(Vec3::Zero()), 0.02);
  expect_flat(manifold, 1, 0.01, Vec3::UnitZ());
}

TEST(CylinderOnHalfSpace, LosesNoSupportBetweenStandingAndTilted) {
  // Whatever the tilt, the least gap is that of the lowest rim point, up to the tilt that counts as upright.
  for (double tilt = 1e-9; tilt < 0.1; tilt *= 1.7) {
    const double lowest = 0.5 * std::sin(tilt) + std::cos(tilt);
    const auto manifold =
        touch({0.5, 1.0}, at(Vec3(0.0, 0.0, lowest), Vec3(1.0, 1.3, 0.0), tilt), HalfSpace{}, at(Vec3::Zero()), 0.05);
    EXPECT_NEAR(deepest(manifold).gap, 0.0, tilt < 1e-6 ? 0.5e-6 : kRoundOff) << tilt;
    if (tilt < 0.04) {
      EXPECT_GE(manifold.size(), 4u) << tilt;
    }
  }
}

// ---- analytic cases
// ---------------------------------------------------------------------------------------------------

TEST(CylinderOnSphere, TouchesAtCapSideAndRim) {
  const Cylinder c{1.0, 2.0};
  const Pose origin = at(Vec3::Zero());
  const auto cap = touch(c, origin, Sphere{0.5}, at(Vec3(0.3, 0.2, 2.51)));
  expect_flat(cap, 1, 0.01, -Vec3::UnitZ());
  const auto side = touch(c, origin, Sphere{0.5}, at(Vec3(0.0, 1.49, 1.0)));
  expect_flat(side, 1, -0.01, -Vec3::UnitY());
  const auto rim = touch(c, origin, Sphere{0.5}, at(Vec3(1.3, 0.0, 2.4)));
  expect_flat(rim, 1, 0.0, -Vec3(0.6, 0.0, 0.8));
  const auto inside = touch(c, origin, Sphere{0.5}, at(Vec3(0.9, 0.0, 0.0)));
  expect_flat(inside, 1, -0.6, -Vec3::UnitX());
}

TEST(CylinderOnBox, StandsOnFourRimPoints) {
  expect_flat(touch({0.5, 1.0}, at(Vec3(0.0, 0.0, 2.0)), Box{Vec3(1.0, 1.0, 1.0)}, at(Vec3::Zero())), 4, 0.0,
              Vec3::UnitZ());
}

TEST(CylinderOnBox, CarriesASmallerBoxOnItsCapAtTheFourCorners) {
  expect_flat(touch({1.0, 0.5}, at(Vec3::Zero()), Box{Vec3(0.4, 0.4, 0.4)}, at(Vec3(0.0, 0.0, 0.9))), 4, 0.0,
              -Vec3::UnitZ());
}

TEST(CylinderOnBox, OverhangingItsEdgeIsSupportedUpToTheEdge) {
  const auto manifold = touch({1.0, 0.5}, at(Vec3(1.3, 0.0, 1.5)), Box{Vec3(1.0, 4.0, 1.0)}, at(Vec3::Zero()));
  double farthest = 0.0;
  for (const ManifoldPoint& p : manifold) {
    EXPECT_NEAR(p.gap, 0.0, kRoundOff);
    farthest = std::max(farthest, p.on_a.x());
  }
  EXPECT_EQ(manifold.size(), 3u);  // the rim point at −x and two crossings; those at ±y are beyond the edge
  EXPECT_NEAR(farthest, 1.0, kRoundOff);
  EXPECT_GT(support_area(manifold), 0.1);
}

TEST(CylinderOnBox, LiesOnAFaceWithTheCommonPartOfItsGenerator) {
  const auto manifold =
      touch({0.5, 2.0}, at(Vec3(0.5, 0.0, 1.5), Vec3::UnitY(), 0.5 * kPi), Box{Vec3(1.0, 1.0, 1.0)}, at(Vec3::Zero()));
  expect_flat(manifold, 2, 0.0, Vec3::UnitZ());
  EXPECT_NEAR((manifold[0].on_a - manifold[1].on_a).norm(), 2.0, kRoundOff);
}

TEST(CylinderOnBox, CrossingAnEdgeTouchesInOnePoint) {
  // The box stands on an edge along y, its face diagonal upright; the cylinder lies along x below it.
  const double half_diagonal = std::numbers::sqrt2;
  const auto manifold = touch({0.5, 2.0}, at(Vec3::Zero(), Vec3::UnitY(), 0.5 * kPi), Box{Vec3(1.0, 1.0, 1.0)},
                              at(Vec3(0.2, 0.1, 0.5 + half_diagonal), Vec3::UnitY(), 0.25 * kPi), 1e-3);
  ASSERT_EQ(manifold.size(), 1u);
  EXPECT_NEAR(manifold[0].gap, 0.0, kRoundOff);
  EXPECT_LT((manifold[0].on_a.head<1>() - Eigen::Matrix<double, 1, 1>(0.2)).norm(), kRoundOff);
}

TEST(CylinderOnCylinder, StackedCarriesOnFourPoints) {
  expect_flat(touch({0.5, 1.0}, at(Vec3(0.0, 0.0, 2.01)), Cylinder{0.5, 1.0}, at(Vec3::Zero())), 4, 0.01,
              Vec3::UnitZ());
}

TEST(CylinderOnCylinder, ShiftedStackIsSupportedOnTheLens) {
  const auto manifold = touch({0.5, 1.0}, at(Vec3(0.3, 0.0, 2.0)), Cylinder{0.5, 1.0}, at(Vec3::Zero()));
  for (const ManifoldPoint& p : manifold) EXPECT_NEAR(p.gap, 0.0, kRoundOff);
  // Two tips of the lens, and the fixed points at its two ends: a rhombus of diagonals 0.7 and 2√(0.25 − 0.0225).
  EXPECT_NEAR(support_area(manifold), 0.5 * 0.7 * 2.0 * std::sqrt(0.25 - 0.0225), kRoundOff);
}

TEST(CylinderOnCylinder, ParallelTouchesAlongTheCommonLength) {
  const auto manifold = touch({0.5, 1.0}, at(Vec3(1.0, 0.0, 0.5)), Cylinder{0.5, 1.0}, at(Vec3::Zero()));
  expect_flat(manifold, 2, 0.0, Vec3::UnitX());
  EXPECT_NEAR((manifold[0].on_a - manifold[1].on_a).norm(), 1.5, kRoundOff);
}

TEST(CylinderOnCylinder, CrossedTouchesInOnePoint) {
  const auto manifold = touch({0.5, 2.0}, at(Vec3(0.3, 0.2, 1.01), Vec3::UnitY(), 0.5 * kPi), Cylinder{0.5, 2.0},
                              at(Vec3::Zero(), Vec3::UnitX(), 0.5 * kPi));
  expect_flat(manifold, 1, 0.01, Vec3::UnitZ());
  EXPECT_LT((manifold[0].on_a - Vec3(0.0, 0.2, 0.51)).norm(), kRoundOff);
}

TEST(CylinderOnCylinder, LiesOnTheCapOfAnother) {
  const Pose lying = at(Vec3(0.0, 0.0, 1.3), Vec3::UnitY(), 0.5 * kPi);
  expect_flat(touch({0.3, 2.0}, lying, Cylinder{0.5, 1.0}, at(Vec3::Zero())), 2, 0.0, Vec3::UnitZ());
  expect_flat(touch({0.5, 1.0}, at(Vec3::Zero()), Cylinder{0.3, 2.0}, lying), 2, 0.0, -Vec3::UnitZ());
}

TEST(CylinderOnCapsule, TouchesItsSideCapAndRim) {
  const Cylinder c{0.5, 1.0};
  expect_flat(touch(c, at(Vec3::Zero()), Capsule{0.2, 2.0}, at(Vec3(0.7, 0.0, 0.0))), 2, 0.0, -Vec3::UnitX());
  expect_flat(touch(c, at(Vec3::Zero()), Capsule{0.2, 0.3}, at(Vec3(0.0, 0.0, 1.2), Vec3::UnitX(), 0.5 * kPi)), 2, 0.0,
              -Vec3::UnitZ());
  const double d = 0.21 / std::numbers::sqrt2;
  const auto rim =
      touch(c, at(Vec3::Zero()), Capsule{0.2, 0.3}, at(Vec3(0.5 + d, 0.0, 1.0 + d), Vec3::UnitX(), 0.5 * kPi));
  expect_flat(rim, 1, 0.01, -Vec3(1.0, 0.0, 1.0).normalized());
}

TEST(CylinderOnPlanarFigure, IsAnErrorThatNamesIt) {
  EXPECT_THROW(touch({0.5, 1.0}, at(Vec3::Zero()), Disk{1.0}, at(Vec3::Zero())), InputError);
}

TEST(CylinderFeatures, SurviveJitterWhileStandingAndLying) {
  const unsigned seed = 5;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  struct Case {
    const char* name;
    Geometry other;
    Pose other_pose;
    Pose pose;
  };
  const Pose lying = at(Vec3(0.0, 0.0, 0.5), Vec3::UnitY(), 0.5 * kPi);
  const Box box{Vec3(1.0, 1.0, 1.0)};
  const std::array<Case, 7> cases{{
      {"standing on a half-space", HalfSpace{}, at(Vec3::Zero()), at(Vec3(0.0, 0.0, 1.0))},
      {"lying on a half-space", HalfSpace{}, at(Vec3::Zero()), lying},
      {"standing on a box", box, at(Vec3(0.0, 0.0, -1.0)), at(Vec3(0.0, 0.0, 1.0))},
      {"standing on a box as wide as itself", Box{Vec3(0.5, 0.5, 0.5)}, at(Vec3(0.0, 0.0, -0.5)),
       at(Vec3(0.0, 0.0, 1.0))},
      {"lying on a box as long as itself", box, at(Vec3(0.0, 0.0, -1.0)), lying},
      {"standing on its like", Cylinder{0.5, 1.0}, at(Vec3(0.0, 0.0, -1.0)), at(Vec3(0.0, 0.0, 1.0))},
      {"lying beside its like", Cylinder{0.5, 1.0}, at(Vec3(0.0, 1.0, 0.5), Vec3::UnitY(), 0.5 * kPi), lying},
  }};
  for (const Case& c : cases) {
    const auto reference = features(touch({0.5, 1.0}, c.pose, c.other, c.other_pose));
    EXPECT_GE(reference.size(), 2u) << c.name;
    for (int i = 0; i < 100; ++i) {
      Pose jittered = c.pose;
      jittered.position += random.vector(1e-8);
      jittered.orientation = rotation_from_vector(random.vector(1e-8)) * jittered.orientation;
      EXPECT_EQ(features(touch({0.5, 1.0}, jittered, c.other, c.other_pose)), reference) << c.name;
    }
  }
}

// ---- properties
// -------------------------------------------------------------------------------------------------------

// A direction along which the solids are apart by s proves that their distance is at least s, and a point of each at
// distance s proves that it is at most s: together they certify gap and normal without any search.
TEST(SlowCylinder, DistanceApartIsCertifiedByTheNormalAndThePoints) {
  const unsigned seed = 99;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  std::array<int, 5> compared{};
  for (int trial = 0; trial < 20000; ++trial) {
    const int kind = trial % 5;
    const Cylinder a = random.cylinder();
    const Geometry b = random.solid(kind);
    const Pose pose_a{random.vector(1.0), random.rotation()};
    const Pose pose_b{random.vector(1.0), random.rotation()};
    const auto manifold = touch(a, pose_a, b, pose_b, 1.0);
    if (manifold.empty() || deepest(manifold).gap < 0.0) continue;
    const ManifoldPoint& p = deepest(manifold);
    SCOPED_TRACE(::testing::Message() << "trial " << trial << " " << kKinds[kind] << " gap " << p.gap);
    const double s = -reach(a, pose_a, -p.normal) - reach(b, pose_b, p.normal);
    const double error = std::max({std::abs(s - p.gap), outside(a, pose_a, p.on_a), outside(b, pose_b, p.on_b),
                                   (p.on_a - p.on_b - p.gap * p.normal).norm()});
    EXPECT_LT(error, 1e-9);
    EXPECT_EQ(features(manifold).size(), manifold.size());
    ++compared[kind];
  }
  for (int kind = 0; kind < 5; ++kind) {
    EXPECT_GT(compared[kind], 500) << kKinds[kind];
  }
}

TEST(SlowCylinder, LeastOverlapAgreesWithAnExhaustiveSearchOverDirections) {
  const unsigned seed = 123;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  int compared = 0;
  for (int trial = 0; compared < 600 && trial < 20000; ++trial) {
    const int kind = trial % 5;
    const Cylinder a = random.cylinder();
    const Geometry b = random.solid(kind);
    const Pose pose_a{random.vector(0.8), random.rotation()};
    const Pose pose_b{random.vector(0.8), random.rotation()};
    const auto manifold = touch(a, pose_a, b, pose_b, 0.0);
    if (manifold.empty()) continue;
    ++compared;
    const ManifoldPoint& p = deepest(manifold);
    SCOPED_TRACE(::testing::Message() << "trial " << trial << " " << kKinds[kind] << " gap " << p.gap);
    // The compass search may stop short of the top, so it bounds from below; ties cost what they may.
    EXPECT_GT(p.gap, brute_force(a, pose_a, b, pose_b) - kTie);
    EXPECT_GT(p.gap, -reach(a, pose_a, -p.normal) - reach(b, pose_b, p.normal) - kTie);
    EXPECT_LT(p.gap, -reach(a, pose_a, -p.normal) - reach(b, pose_b, p.normal) + kTie);
  }
  EXPECT_EQ(compared, 600);
}

TEST(SlowCylinder, PointsOfAManifoldLieOnBothSolids) {
  const unsigned seed = 17;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    const int kind = trial % 5;
    const Cylinder a = random.cylinder();
    const Geometry b = random.solid(kind);
    // Nearly aligned poses make patches of many points.
    const auto nearly = [&] { return rotation_from_vector(random.vector(1e-3)); };
    const Quat turn = random.in(0.0, 1.0) < 0.5 ? Quat::Identity() : rotation_from_vector(0.5 * kPi * Vec3::UnitY());
    const Pose pose_b{Vec3::Zero(), nearly()};
    Pose pose_a{random.vector(0.3), nearly() * turn};
    pose_a.position.z() = 0.0;
    pose_a.position.z() = reach(a, pose_a, Vec3::UnitZ()) + reach(b, pose_b, Vec3::UnitZ()) - 1e-3;
    const auto manifold = touch(a, pose_a, b, pose_b, 0.01);
    SCOPED_TRACE(::testing::Message() << "trial " << trial << " " << kKinds[kind]);
    EXPECT_EQ(features(manifold).size(), manifold.size());
    for (const ManifoldPoint& p : manifold) {
      EXPECT_LT((p.on_a - p.on_b - p.gap * p.normal).norm(), kRoundOff);
      // Points along a direction that is not quite normal to the surface may leave it by tilt² of the size.
      EXPECT_LT(outside(a, pose_a, p.on_a), 5e-6);
      EXPECT_LT(outside(b, pose_b, p.on_b), 5e-6);
    }
  }
}

}  // namespace
}  // namespace cardhouse
