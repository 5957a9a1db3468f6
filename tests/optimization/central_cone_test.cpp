#include "cardhouse/optimization/central_cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/optimization/convex_set.h"
#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

Vec3 nearest_point(int sides, double mu, const Vec3& z) {
  const ConvexSet cone{.kind = ConvexSet::Kind::polygonal_cone, .radius = mu, .radius_cross = mu, .sides = sides};
  Vec3 p;
  project(cone, 3, z.data(), p.data());
  return p;
}

class CentralConeOver : public ::testing::TestWithParam<int> {};

/// x − z − Σ η_j g_j = 0 with η_j = ε²/s_j, by the definition.
TEST_P(CentralConeOver, BalancesTheBarriersOfAllSides) {
  const int sides = GetParam();
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double mu = random.uniform(0.01, 5.0);
    const double epsilon = random.uniform(0.02, 1.0);
    const Vec3 z = 3.0 * random.vector(3);
    const Vec3 x = central_cone(sides, mu, epsilon, 0.0, z).point;
    Vec3 force = z - x;
    double stiffest = 1.0;
    for (int j = 0; j < sides; ++j) {
      const double angle = (2 * j + 1) * std::numbers::pi / sides;
      const Vec3 normal(mu * std::cos(std::numbers::pi / sides), -std::cos(angle), -std::sin(angle));
      const double slack = normal.dot(x);
      ASSERT_GT(slack, 0.0);
      force += epsilon * epsilon / slack * normal;
      stiffest = std::max(stiffest, normal.squaredNorm() * epsilon * epsilon / (slack * slack));
    }
    EXPECT_LE(force.norm(), 1e-14 * stiffest * (1.0 + x.norm()));  // round-off of x, times the barrier's stiffness
  }
}

/// With κ = 1 the gain is ∂x/∂z.
TEST_P(CentralConeOver, HasTheDerivativeThatItSays) {
  const int sides = GetParam();
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double mu = random.uniform(0.2, 2.0);
    const double epsilon = random.uniform(0.1, 1.0);
    const Vec3 z = 2.0 * random.vector(3);
    const Vec3 dz = random.vector(3);
    const double t = 1e-6;
    const auto at = [&](double s) { return central_cone(sides, mu, epsilon, 1.0, Vec3(z + s * dz)).point; };
    const Vec3 change = central_cone(sides, mu, epsilon, 1.0, z).gain * dz;
    // Central differences: round-off of 1e-16/t and third derivatives (of the order of 1/ε²) times t².
    EXPECT_LE(((at(t) - at(-t)) / (2.0 * t) - change).norm(), 1e-7);
  }
}

/// gain (I − P' + κ P') = P' for any κ, also where sides are so stiff that P' has lost what tells them apart.
TEST_P(CentralConeOver, GainsWhatAProximalNewtonStepDividesBy) {
  const int sides = GetParam();
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double mu = random.uniform(0.2, 2.0);
    const Vec3 z = 2.0 * random.vector(3);
    const double proximal = std::pow(10.0, random.uniform(-4.0, 0.0));
    for (const double epsilon : {0.3, 1e-3, 0.0}) {
      const Mat3 slope = central_cone(sides, mu, epsilon, 1.0, z).gain;
      const Mat3 gain = central_cone(sides, mu, epsilon, proximal, z).gain;
      const Mat3 divisor = Mat3::Identity() - slope + proximal * slope;
      EXPECT_LE((gain * divisor - slope).norm(), 1e-11) << "epsilon " << epsilon;  // 1e-15 of gains up to 1/κ
    }
  }
}

/// The multipliers lose at most m ε² to the barrier: ‖x − P z‖² ≤ m ε².
TEST_P(CentralConeOver, EndsInTheNearestPoint) {
  const int sides = GetParam();
  Random random(6);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    const double mu = random.uniform(0.01, 5.0);
    const Vec3 z = 3.0 * random.vector(3);
    const Vec3 nearest = nearest_point(sides, mu, z);
    for (const double epsilon : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
      const Vec3 x = central_cone(sides, mu, epsilon, 1.0, z).point;
      EXPECT_LE((x - nearest).norm(), std::sqrt(sides) * epsilon + 1e-14) << "epsilon " << epsilon;
    }
    EXPECT_EQ(central_cone(sides, mu, 0.0, 1.0, z).point, nearest);
  }
}

INSTANTIATE_TEST_SUITE_P(Sides, CentralConeOver, ::testing::Values(4, 8, 16));

}  // namespace
}  // namespace cardhouse::testing
