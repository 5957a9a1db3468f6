#include "cardhouse/optimization/body_graph_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "math/random_matrices.h"
#include "optimization/dense_sum.h"

namespace cardhouse::testing {
namespace {

/// Positive semidefinite blocks; every third has rank 1 or is zero, as projections' derivatives are.
std::vector<Mat3> random_weights(Random& random, const BlockRows& j) {
  std::vector<Mat3> theta(static_cast<std::size_t>(j.groups()),
                          Mat3::Constant(1e300));  // what is beyond dim is not read
  for (int g = 0; g < j.groups(); ++g) {
    const int dim = j.group(g).dim;
    MatX weight = random.positive_definite(dim);
    if (g % 3 == 1) {
      const VecX x = random.vector(dim);
      weight = x * x.transpose();
    }
    if (g % 6 == 5) weight.setZero();
    theta[g].topLeftCorner(dim, dim) = weight;
  }
  return theta;
}

void expect_solves(BodyGraphCholesky& cholesky, Random& random, const BlockDiagonal& a, const BlockRows& j) {
  const std::vector<Mat3> theta = random_weights(random, j);
  cholesky.analyse(a, j);
  ASSERT_TRUE(cholesky.factorise(a, j, theta));
  const VecX y = random.vector(a.rows());
  VecX x;
  cholesky.solve(y, x);
  const MatX h = dense_sum(a, j, theta);
  // Backward stable: the residual is round-off of ‖H‖‖x‖, whatever the condition number.
  EXPECT_LE((h * x - y).norm(), 1e-13 * h.norm() * x.norm());
  const VecX expected = h.partialPivLu().solve(y);
  EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm());  // condition numbers up to about 1e4
}

class BodyGraphCholeskySolve : public ::testing::TestWithParam<unsigned> {};

TEST_P(BodyGraphCholeskySolve, AgreesWithADenseSolve) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  const BlockDiagonal a = random_blocks(random, {6, 3, 1, 2, 6, 3, 6, 6, 4});
  const BlockRows j = random_rows(random, a, 24);
  BodyGraphCholesky cholesky;
  expect_solves(cholesky, random, a, j);
}

TEST_P(BodyGraphCholeskySolve, IsRightAgainWhenOnlyTheValuesChange) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  BodyGraphCholesky cholesky;
  // The same seed for the structure, so that bodies and groups are the same; other numbers in the blocks.
  for (double factor : {1.0, -2.5, 0.1}) {
    Random random(GetParam());
    BlockDiagonal a;
    for (int size : {6, 6, 3, 6, 1}) a.add(std::abs(factor) * random.positive_definite(size));
    BlockRows j;
    for (const auto& [first, second] : {std::pair{0, 1}, {1, 2}, {3, 1}, {2, 4}, {0, 0}, {4, 0}}) {
      j.begin_group(3);
      j.add(a, first, factor * random.matrix(3, a.size(first)));
      j.add(a, second, random.matrix(3, a.size(second)));
    }
    expect_solves(cholesky, random, a, j);
  }
}

TEST_P(BodyGraphCholeskySolve, IsRightAgainWhenThePatternChanges) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  BodyGraphCholesky cholesky;
  const BlockDiagonal a = random_blocks(random, {6, 6, 3, 6});
  expect_solves(cholesky, random, a, random_rows(random, a, 5));
  expect_solves(cholesky, random, a, random_rows(random, a, 5));  // as many groups, on other bodies
  expect_solves(cholesky, random, a, random_rows(random, a, 9));
  const BlockDiagonal swapped = random_blocks(random, {6, 3, 6, 6});  // as many rows, other blocks
  expect_solves(cholesky, random, swapped, random_rows(random, swapped, 9));
  const BlockDiagonal more = random_blocks(random, {6, 3, 6, 6, 2});
  expect_solves(cholesky, random, more, random_rows(random, more, 2));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BodyGraphCholeskySolve, ::testing::Range(1u, 11u));

TEST(BodyGraphCholesky, SolvesAloneWithAWhenThereAreNoRows) {
  Random random(3);
  const BlockDiagonal a = random_blocks(random, {6, 3});
  BodyGraphCholesky cholesky;
  expect_solves(cholesky, random, a, BlockRows());
}

TEST(BodyGraphCholesky, HandlesGroupsOfThreeBodiesAndOfNone) {
  Random random(4);
  const BlockDiagonal a = random_blocks(random, {6, 3, 6, 1});
  BlockRows j;
  j.begin_group(2);
  j.begin_group(3);
  for (int block : {2, 0, 3}) j.add(a, block, random.matrix(3, a.size(block)));
  j.begin_group(1);
  j.add(a, 1, random.matrix(1, 3));
  BodyGraphCholesky cholesky;
  expect_solves(cholesky, random, a, j);
}

TEST(BodyGraphCholesky, SaysSoWhenTheSumIsNotPositiveDefinite) {
  Random random(5);
  const BlockDiagonal a = random_blocks(random, {3, 3});
  BlockRows j;
  j.begin_group(3);
  j.add(a, 0, MatX::Identity(3, 3));
  j.add(a, 1, -MatX::Identity(3, 3));
  BodyGraphCholesky cholesky;
  cholesky.analyse(a, j);
  const std::vector<Mat3> negative(1, Mat3(-100.0 * Mat3::Identity()));
  EXPECT_FALSE(cholesky.factorise(a, j, negative));
  const std::vector<Mat3> sound(1, Mat3::Identity());
  EXPECT_TRUE(cholesky.factorise(a, j, sound)) << "a failed factorisation must not spoil the next";
}

TEST(BodyGraphCholesky, IsTheSameToTheBitWithAndWithoutAnOlderPattern) {
  Random random(6);
  const BlockDiagonal a = random_blocks(random, {6, 6, 6, 3});
  const BlockRows j = random_rows(random, a, 12);
  const BlockRows other = random_rows(random, a, 7);
  const std::vector<Mat3> theta = random_weights(random, j);
  const VecX y = random.vector(a.rows());
  BodyGraphCholesky fresh;
  BodyGraphCholesky used;
  used.analyse(a, other);
  ASSERT_TRUE(used.factorise(a, other, random_weights(random, other)));
  VecX x_fresh;
  VecX x_used;
  for (BodyGraphCholesky* cholesky : {&fresh, &used}) {
    cholesky->analyse(a, j);
    ASSERT_TRUE(cholesky->factorise(a, j, theta));
    cholesky->solve(y, cholesky == &fresh ? x_fresh : x_used);
  }
  EXPECT_EQ(x_fresh, x_used);
}

}  // namespace
}  // namespace cardhouse::testing
