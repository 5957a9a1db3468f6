#include "cardhouse/optimization/body_graph_lu.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "math/random_matrices.h"
#include "optimization/dense_sum.h"

namespace cardhouse::testing {
namespace {

/// Blocks without symmetry whose symmetric part is positive: as slipping contacts give them, on average.
std::vector<Mat3> random_weights(Random& random, const BlockRows& j) {
  std::vector<Mat3> theta(static_cast<std::size_t>(j.groups()), Mat3::Constant(1e300));  // beyond dim is not read
  for (int g = 0; g < j.groups(); ++g) {
    const int dim = j.group(g).dim;
    MatX weight = random.positive_definite(dim) + 0.5 * random.matrix(dim, dim);
    if (g % 6 == 5) weight.setZero();
    theta[g].topLeftCorner(dim, dim) = weight;
  }
  return theta;
}

void expect_solves(BodyGraphLu& lu, Random& random, const BlockDiagonal& a, const BlockRows& j) {
  const std::vector<Mat3> theta = random_weights(random, j);
  lu.analyse(a, j);
  ASSERT_TRUE(lu.factorise(a, j, theta));
  const VecX y = random.vector(a.rows());
  VecX x;
  lu.solve(y, x);
  const MatX h = dense_sum(a, j, theta);
  // Without exchanges between bodies some digits go: the blocks are random, with pivots of any size.
  EXPECT_LE((h * x - y).norm(), 1e-10 * (h.norm() * x.norm() + y.norm()));
}

class BodyGraphLuSolve : public ::testing::TestWithParam<unsigned> {};

TEST_P(BodyGraphLuSolve, AgreesWithTheDenseMatrix) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  const BlockDiagonal a = random_blocks(random, {6, 3, 1, 2, 6, 3, 6, 6, 4});
  const BlockRows j = random_rows(random, a, 24);
  BodyGraphLu lu;
  expect_solves(lu, random, a, j);
  expect_solves(lu, random, a, j);  // same pattern, other numbers
  const BlockDiagonal b = random_blocks(random, {3, 3, 6, 15, 6});
  expect_solves(lu, random, b, random_rows(random, b, 9));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BodyGraphLuSolve, ::testing::Range(1u, 21u));

TEST(BodyGraphLu, OfBodiesThatTouchNothingSolvesWithA) {
  Random random(1);
  const BlockDiagonal a = random_blocks(random, {6, 3});
  BodyGraphLu lu;
  const BlockRows none;
  lu.analyse(a, none);
  ASSERT_TRUE(lu.factorise(a, none, {}));
  const VecX y = random.vector(a.rows());
  VecX x;
  VecX expected;
  lu.solve(y, x);
  a.solve(y, expected);
  EXPECT_LE((x - expected).norm(), 1e-12 * expected.norm());
}

TEST(BodyGraphLu, RefusesASingularPivot) {
  BlockDiagonal a;
  a.add(MatX::Identity(1, 1));
  BlockRows j;
  j.begin_group(1);
  j.add(a, 0, MatX::Identity(1, 1));
  const std::vector<Mat3> theta{Mat3(-Mat3::Identity())};  // 1 − 1 = 0
  BodyGraphLu lu;
  lu.analyse(a, j);
  EXPECT_FALSE(lu.factorise(a, j, theta));
}

}  // namespace
}  // namespace cardhouse::testing
