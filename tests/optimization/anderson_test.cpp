#include "cardhouse/optimization/anderson.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

/// x ← M x + c with a fixed point that plain iteration finds slowly or not at all.
struct LinearMap {
  LinearMap(Random& random, int n, double size) : m(random.matrix(n, n)), c(random.vector(n)) {
    m *= size / m.norm();
    fixed_point = (MatX::Identity(n, n) - m).partialPivLu().solve(c);
  }
  VecX operator()(const VecX& x) const { return m * x + c; }

  MatX m;
  VecX c, fixed_point;
};

TEST(Anderson, FindsALinearFixedPointInOneMoreStepThanItsDimension) {
  for (int n = 1; n <= 8; ++n) {
    const unsigned seed = 20u + static_cast<unsigned>(n);
    SCOPED_TRACE(::testing::Message() << "n = " << n << ", seed " << seed);
    Random random(seed);
    const LinearMap map(random, n, 0.9);
    Anderson anderson;
    anderson.reset(n, n);
    VecX x = VecX::Zero(n);
    for (int k = 0; k <= n; ++k) anderson.advance(x, map(x), VecX::Ones(n));
    // As GMRES: exact in exact arithmetic; the differences of nearly parallel steps lose about half the digits.
    EXPECT_LE((x - map.fixed_point).norm(), 1e-7 * map.fixed_point.norm());
  }
}

TEST(Anderson, FindsAFixedPointThatThePlainIterationFleesFrom) {
  constexpr unsigned seed = 31;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  const LinearMap map(random, 4, 8.0);
  ASSERT_GT((map.m * map.m * map.m * map.m).norm(), 10.0);
  Anderson anderson;
  anderson.reset(4, 4);
  VecX x = VecX::Zero(4);
  for (int k = 0; k < 5; ++k) anderson.advance(x, map(x), VecX::Ones(4));
  EXPECT_LE((x - map.fixed_point).norm(), 1e-7 * map.fixed_point.norm());
}

TEST(Anderson, OfDepthZeroIsThePlainIteration) {
  constexpr unsigned seed = 32;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  const LinearMap map(random, 5, 0.9);
  Anderson anderson;
  anderson.reset(5, 0);
  VecX x = random.vector(5);
  VecX plain = x;
  for (int k = 0; k < 10; ++k) {
    plain = map(plain);
    anderson.advance(x, map(x), VecX::Ones(5));
    EXPECT_EQ(x, plain);
  }
}

TEST(Anderson, StaysAtAFixedPoint) {
  Anderson anderson;
  anderson.reset(3, 2);
  const VecX fixed = Vec3(1.0, -2.0, 3.0);
  VecX x = fixed;
  for (int k = 0; k < 5; ++k) {
    anderson.advance(x, fixed, VecX::Ones(3));
    EXPECT_EQ(x, fixed);
  }
}

TEST(Anderson, ForgetsItsHistoryOnRestart) {
  constexpr unsigned seed = 33;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  const LinearMap map(random, 3, 0.9);
  Anderson anderson;
  anderson.reset(3, 3);
  VecX x = random.vector(3);
  for (int k = 0; k < 2; ++k) anderson.advance(x, map(x), VecX::Ones(3));
  anderson.restart();
  const VecX before = x;
  anderson.advance(x, map(x), VecX::Ones(3));
  EXPECT_EQ(x, map(before));
}

TEST(Anderson, KeepsNoMoreThanItsDepth) {
  // With depth 1 a plane rotation is not solved in three steps, but the iteration goes on beyond the ring's end.
  Random random(34);
  const LinearMap map(random, 6, 0.9);
  Anderson anderson;
  anderson.reset(6, 2);
  VecX x = VecX::Zero(6);
  for (int k = 0; k < 60; ++k) anderson.advance(x, map(x), VecX::Ones(6));
  EXPECT_LE((x - map.fixed_point).norm(), 1e-8 * map.fixed_point.norm());
}

TEST(Anderson, MeasuresStepsWithTheGivenWeights) {
  // A component of weight 0 does not take part in the choice of the mix: the other one alone is extrapolated.
  Anderson anderson;
  anderson.reset(2, 1);
  const auto g = [](const VecX& x) { return VecX(Vec2(0.5 * x[0] + 1.0, -3.0 * x[1] + 4.0)); };
  VecX x = Vec2(0.0, 0.0);
  for (int k = 0; k < 2; ++k) anderson.advance(x, g(x), Vec2(1.0, 0.0));
  EXPECT_NEAR(x[0], 2.0, 1e-14);  // the fixed point of the first component
}

TEST(Anderson, PassesNaNOnWithoutMixingIt) {
  Anderson anderson;
  anderson.reset(1, 2);
  VecX x = VecX::Constant(1, 1.0);
  anderson.advance(x, VecX::Constant(1, 2.0), VecX::Ones(1));
  anderson.advance(x, VecX::Constant(1, std::numeric_limits<double>::quiet_NaN()), VecX::Ones(1));
  EXPECT_TRUE(std::isnan(x[0]));
}

}  // namespace
}  // namespace cardhouse::testing
