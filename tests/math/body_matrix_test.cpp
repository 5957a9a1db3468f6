#include "cardhouse/math/body_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

// Condition numbers are below 1000 and there are at most 40 rows: products and solves keep twelve digits.
constexpr double kTolerance = 1e-12;

class BodyMatrixMatrix : public ::testing::TestWithParam<unsigned> {
 protected:
  BodyMatrixMatrix() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()), random(GetParam()) {
    a = random_blocks(random, {6, 3, 1, 2, 6, 4, 9, 3});
    if (GetParam() % 2 == 0) {
      a.add(random_coupled_body(random, 12));
      a.add(random.positive_definite(3));
    }
  }

 private:
  ::testing::ScopedTrace trace_;

 protected:
  Random random;
  BodyMatrix a;
};

TEST_P(BodyMatrixMatrix, MultipliesAsItsDenseTwin) {
  const VecX x = random.vector(a.rows());
  VecX y;
  a.multiply(x, y);
  EXPECT_LE((y - dense(a) * x).norm(), kTolerance * y.norm());
}

TEST_P(BodyMatrixMatrix, SolvesAsItsDenseTwin) {
  const VecX x = random.vector(a.rows());
  VecX y;
  a.solve(x, y);
  const VecX expected = dense(a).partialPivLu().solve(x);
  EXPECT_LE((y - expected).norm(), 10.0 * kTolerance * expected.norm());
}

TEST_P(BodyMatrixMatrix, MeasuresImpulsesInTheKineticMetric) {
  const VecX x = random.vector(a.rows());
  const double expected = x.dot(dense(a).partialPivLu().solve(x));
  EXPECT_NEAR(a.inverse_norm_squared(x), expected, 10.0 * kTolerance * expected);
}

TEST_P(BodyMatrixMatrix, GivesBlocksOfTheDelassusMatrix) {
  const BlockRows j = random_rows(random, a, 30);
  const MatX w = dense(j, a.rows()) * dense(a).partialPivLu().solve(dense(j, a.rows()).transpose());
  for (int g = 0; g < j.groups(); ++g) {
    const int dim = j.group(g).dim;
    const MatX expected = w.block(j.group(g).row, j.group(g).row, dim, dim);
    EXPECT_LE((j.delassus_block(g, a).topLeftCorner(dim, dim) - expected).norm(), 10.0 * kTolerance * expected.norm());
  }
}

TEST_P(BodyMatrixMatrix, CopiesABodyWithAllItsBlocks) {
  BodyMatrix copy;
  for (int i = 0; i < a.blocks(); ++i) {
    if (a.first_of_body(i) == i) copy.add_body_of(a, i);
  }
  EXPECT_EQ(dense(copy), dense(a));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BodyMatrixMatrix, ::testing::Range(1u, 6u));

TEST(BodyMatrix, KnowsItsBlocksAndWhereTheyStart) {
  Random random(7);
  const MatX first = random.positive_definite(3);
  const MatX second = random.positive_definite(6);
  BodyMatrix a;
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

TEST(BodyMatrix, TakesAGivenInverseAsItIs) {
  const MatX block = 4.0 * MatX::Identity(2, 2);
  const MatX inverse = 0.25 * MatX::Identity(2, 2);
  BodyMatrix a;
  a.add(block, inverse);
  EXPECT_EQ(a.kept_inverse(0), inverse);
}

TEST(BodyMatrix, IsEmptyAfterClear) {
  BodyMatrix a;
  a.add(MatX::Identity(3, 3));
  a.clear();
  EXPECT_EQ(a.rows(), 0);
  EXPECT_EQ(a.blocks(), 0);
  a.add(2.0 * MatX::Identity(1, 1));
  VecX y;
  a.multiply(VecX::Constant(1, 3.0), y);
  EXPECT_EQ(y[0], 6.0);
}

TEST(BodyMatrix, OfABlockThatIsNotPositiveDefiniteDoesNotPassForASoundOne) {
  MatX singular = MatX::Zero(2, 2);
  singular(0, 0) = 1.0;
  BodyMatrix a;
  a.add(singular);
  EXPECT_FALSE(a.kept_inverse(0).allFinite());
}

}  // namespace
}  // namespace cardhouse::testing
