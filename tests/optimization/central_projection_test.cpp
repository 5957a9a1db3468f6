#include "cardhouse/optimization/central_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cardhouse/optimization/convex_set.h"
#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

Vec2 nearest_point(int sides, double radius, const Vec2& z) {
  const ConvexSet polygon{.kind = ConvexSet::Kind::polygon, .radius = radius, .sides = sides};
  Vec2 p;
  project(polygon, 2, z.data(), p.data());
  return p;
}

class CentralProjectionOnto : public ::testing::TestWithParam<int> {};

/// x − z + Σ η_j a_j = 0 with η_j = ε²/s_j, by the definition.
TEST_P(CentralProjectionOnto, BalancesTheBarriersOfAllSides) {
  const int sides = GetParam();
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double radius = random.uniform(0.01, 2.0);
    const double epsilon = random.uniform(0.02, 1.0);
    const Vec2 z = 3.0 * random.vector(2);
    const Vec2 x = central_projection(sides, radius, epsilon, z).point;
    Vec2 force = z - x;
    double stiffest = 1.0;
    for (int j = 0; j < sides; ++j) {
      const double angle = (2 * j + 1) * std::numbers::pi / sides;
      const Vec2 normal(std::cos(angle), std::sin(angle));
      const double slack = radius * std::cos(std::numbers::pi / sides) - normal.dot(x);
      ASSERT_GT(slack, 0.0);
      force -= epsilon * epsilon / slack * normal;
      stiffest = std::max(stiffest, epsilon * epsilon / (slack * slack));
    }
    EXPECT_LE(force.norm(), 1e-14 * stiffest * (1.0 + radius));  // round-off of x, times the barrier's stiffness
  }
}

TEST_P(CentralProjectionOnto, HasTheDerivativesThatItSays) {
  const int sides = GetParam();
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double radius = random.uniform(0.2, 2.0);
    const double epsilon = random.uniform(0.1, 1.0);
    const Vec2 z = 2.0 * random.vector(2);
    const CentralProjection here = central_projection(sides, radius, epsilon, z);
    const double t = 1e-6;
    const Vec2 dz = random.vector(2);
    const double dradius = random.uniform(-1.0, 1.0);
    const auto at = [&](double s) {
      return central_projection(sides, radius + s * dradius, epsilon, z + s * dz).point;
    };
    const Vec2 along = here.axes.transpose() * dz;
    const Vec2 change = here.axes * (here.slope.cwiseProduct(along) + dradius * here.slope_radius);
    // Central differences: round-off of 1e-16/t and third derivatives (of the order of 1/ε²) times t².
    EXPECT_LE(((at(t) - at(-t)) / (2.0 * t) - change).norm(), 1e-7);
    EXPECT_LE((here.slope + here.complement - Vec2::Ones()).norm(), 1e-15);
  }
}

/// The multipliers lose at most m ε² to the barrier: ‖x − P z‖² ≤ m ε².
TEST_P(CentralProjectionOnto, EndsInTheNearestPoint) {
  const int sides = GetParam();
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double radius = random.uniform(0.01, 2.0);
    const Vec2 z = 3.0 * random.vector(2);
    const Vec2 nearest = nearest_point(sides, radius, z);
    for (const double epsilon : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
      const Vec2 x = central_projection(sides, radius, epsilon, z).point;
      EXPECT_LE((x - nearest).norm(), std::sqrt(sides) * epsilon + 1e-14) << "epsilon " << epsilon;
    }
    EXPECT_EQ(central_projection(sides, radius, 0.0, z).point, nearest);
  }
}

TEST_P(CentralProjectionOnto, AtNoSmoothingGrowsWithThePicture) {
  const int sides = GetParam();
  Random random(6);
  for (int trial = 0; trial < 200; ++trial) {
    const double radius = random.uniform(0.1, 2.0);
    const Vec2 z = 3.0 * random.vector(2);
    const CentralProjection x = central_projection(sides, radius, 0.0, z);
    const Vec2 grown = x.axes * (x.slope.cwiseProduct(x.axes.transpose() * z) + radius * x.slope_radius);
    EXPECT_LE((grown - x.point).norm(), 1e-14) << "trial " << trial;
  }
}

TEST(CentralProjection, OntoAPointIsThatPoint) {
  const CentralProjection x = central_projection(8, 0.0, 0.1, Vec2(1.0, 2.0));
  EXPECT_EQ(x.point, Vec2::Zero());
  EXPECT_EQ(x.slope, Vec2::Zero());
}

INSTANTIATE_TEST_SUITE_P(Sides, CentralProjectionOnto, ::testing::Values(4, 8, 16));

}  // namespace
}  // namespace cardhouse::testing
