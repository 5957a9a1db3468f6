#include "cardhouse/optimization/quick_anderson.h"

#include <gtest/gtest.h>

#include "cardhouse/optimization/anderson.h"
#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

/// x ← M x + c with the norm of M below 1.
struct LinearIteration {
  MatX m;
  VecX c;
  LinearIteration(Random& random, int size, double contraction) {
    m = random.matrix(size, size);
    m *= contraction / m.norm();
    c = random.vector(size);
  }
  VecX value(const VecX& x) const { return m * x + c; }
  double error(const VecX& x) const { return (value(x) - x).norm(); }
};

TEST(QuickAnderson, SolvesALinearIterationInAsManyStepsAsItHasDimensions) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const LinearIteration iteration(random, 5, 0.99);
    QuickAnderson anderson;
    anderson.reset(5, 6);
    VecX x = VecX::Zero(5);
    for (int i = 0; i < 7; ++i) anderson.advance(x, iteration.value(x), VecX::Ones(5));
    // Normal equations keep half the digits of directions that are nearly the same.
    EXPECT_LE(iteration.error(x), 1e-6);
  }
}

TEST(QuickAnderson, StepsLikeTheOrthogonalOneWhereTheHistoryIsWellConditioned) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const LinearIteration iteration(random, 40, 0.9);
    const VecX weight = random.vector(40).cwiseAbs() + VecX::Ones(40);
    QuickAnderson quick;
    Anderson orthogonal;
    quick.reset(40, 3);
    orthogonal.reset(40, 3);
    VecX x = VecX::Zero(40);
    VecX y = x;
    for (int i = 0; i < 6; ++i) {
      quick.advance(x, iteration.value(x), weight);
      orthogonal.advance(y, iteration.value(y), weight);
    }
    EXPECT_LE((x - y).norm(), 1e-6 * y.norm());
  }
}

TEST(QuickAnderson, AfterARestartTakesThePlainStepFirst) {
  Random random(3);
  const LinearIteration iteration(random, 6, 0.9);
  QuickAnderson anderson;
  anderson.reset(6, 4);
  VecX x = VecX::Zero(6);
  for (int i = 0; i < 4; ++i) anderson.advance(x, iteration.value(x), VecX::Ones(6));
  anderson.restart();
  const VecX value = iteration.value(x);
  anderson.advance(x, value, VecX::Ones(6));
  EXPECT_EQ(x, value);
}

TEST(QuickAnderson, StaysWhereTheIterationRests) {
  QuickAnderson anderson;
  anderson.reset(3, 4);
  VecX x = Vec3(1, 2, 3);
  for (int i = 0; i < 5; ++i) anderson.advance(x, Vec3(1, 2, 3), VecX::Ones(3));
  EXPECT_EQ(x, VecX(Vec3(1, 2, 3)));
}

}  // namespace
}  // namespace cardhouse::testing
