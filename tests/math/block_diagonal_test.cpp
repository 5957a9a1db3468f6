#include "cardhouse/math/block_diagonal.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

// Blocks have condition numbers below 100 and at most 9 rows: products and solves keep thirteen digits.
constexpr double kTolerance = 1e-13;

class BlockDiagonalMatrix : public ::testing::TestWithParam<unsigned> {
 protected:
  BlockDiagonalMatrix()
      : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()), random(GetParam()) {
    a = random_blocks(random, {6, 3, 1, 2, 6, 4, 9, 3});
  }

 private:
  ::testing::ScopedTrace trace_;

 protected:
  Random random;
  BlockDiagonal a;
};

TEST_P(BlockDiagonalMatrix, MultipliesAsItsDenseTwin) {
  const VecX x = random.vector(a.rows());
  VecX y;
  a.multiply(x, y);
  EXPECT_LE((y - dense(a) * x).norm(), kTolerance * y.norm());
}

TEST_P(BlockDiagonalMatrix, SolvesAsItsDenseTwin) {
  const VecX x = random.vector(a.rows());
  VecX y;
  a.solve(x, y);
  const VecX expected = dense(a).partialPivLu().solve(x);
  EXPECT_LE((y - expected).norm(), 10.0 * kTolerance * expected.norm());
}

TEST_P(BlockDiagonalMatrix, MeasuresImpulsesInTheKineticMetric) {
  const VecX x = random.vector(a.rows());
  const double expected = x.dot(dense(a).partialPivLu().solve(x));
  EXPECT_NEAR(a.inverse_norm_squared(x), expected, 10.0 * kTolerance * expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlockDiagonalMatrix, ::testing::Range(1u, 6u));

TEST(BlockDiagonal, KnowsItsBlocksAndWhereTheyStart) {
  Random random(7);
  const MatX first = random.positive_definite(3);
  const MatX second = random.positive_definite(6);
  BlockDiagonal a;
  EXPECT_EQ(a.rows(), 0);
  EXPECT_EQ(a.add(first), 0);
  EXPECT_EQ(a.add(second), 1);
  EXPECT_EQ(a.blocks(), 2);
  EXPECT_EQ(a.rows(), 9);
  EXPECT_EQ(a.offset(1), 3);
  EXPECT_EQ(a.size(1), 6);
  EXPECT_EQ(a.block(0), first);
  EXPECT_EQ(a.block(1), second);
}

TEST(BlockDiagonal, TakesAGivenInverseAsItIs) {
  const MatX block = 4.0 * MatX::Identity(2, 2);
  const MatX inverse = 0.25 * MatX::Identity(2, 2);
  BlockDiagonal a;
  a.add(block, inverse);
  EXPECT_EQ(a.inverse(0), inverse);
}

TEST(BlockDiagonal, IsEmptyAfterClear) {
  BlockDiagonal a;
  a.add(MatX::Identity(3, 3));
  a.clear();
  EXPECT_EQ(a.rows(), 0);
  EXPECT_EQ(a.blocks(), 0);
  a.add(2.0 * MatX::Identity(1, 1));
  VecX y;
  a.multiply(VecX::Constant(1, 3.0), y);
  EXPECT_EQ(y[0], 6.0);
}

TEST(BlockDiagonal, OfABlockThatIsNotPositiveDefiniteDoesNotPassForASoundOne) {
  MatX singular = MatX::Zero(2, 2);
  singular(0, 0) = 1.0;
  BlockDiagonal a;
  a.add(singular);
  EXPECT_FALSE(a.inverse(0).allFinite());
}

}  // namespace
}  // namespace cardhouse::testing
