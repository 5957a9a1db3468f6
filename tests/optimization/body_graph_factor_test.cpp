#include "cardhouse/optimization/body_graph_factor.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "cardhouse/base/memory_limit.h"
#include "math/random_matrices.h"
#include "optimization/dense_sum.h"
#include "optimization/lattice.h"

namespace cardhouse::testing {
namespace {

using Form = BodyGraphFactor::Form;

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

void expect_solves(BodyGraphFactor& factor, Random& random, const BodyMatrix& a, const BlockRows& j) {
  const std::vector<Mat3> theta = random_weights(random, j);
  factor.analyse(a, j);
  ASSERT_TRUE(factor.factorise(a, j, theta, Form::positive_definite));
  const VecX y = random.vector(a.rows());
  VecX x;
  factor.solve(y, x);
  const MatX h = dense_sum(a, j, theta);
  // Backward stable: the residual is round-off of ‖H‖‖x‖, whatever the condition number.
  EXPECT_LE((h * x - y).norm(), 1e-13 * h.norm() * x.norm());
  const VecX expected = h.partialPivLu().solve(y);
  EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm());  // condition numbers up to about 1e4
}

class PositiveDefiniteBodyGraph : public ::testing::TestWithParam<unsigned> {};

TEST_P(PositiveDefiniteBodyGraph, AgreesWithADenseSolve) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  const BodyMatrix a = random_blocks(random, {6, 3, 1, 2, 6, 3, 6, 6, 4});
  const BlockRows j = random_rows(random, a, 24);
  BodyGraphFactor factor;
  expect_solves(factor, random, a, j);
}

TEST_P(PositiveDefiniteBodyGraph, EliminatesTheNodesOfABodyOneByOne) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  BodyMatrix a = random_blocks(random, {6, 3, 6});
  a.add(random_coupled_body(random, 40));
  a.add(random.positive_definite(6));
  a.add(random_coupled_body(random, 25));
  const BlockRows j = random_rows(random, a, 30);
  BodyGraphFactor factor;
  expect_solves(factor, random, a, j);
  expect_solves(factor, random, a, random_rows(random, a, 20));
}

TEST_P(PositiveDefiniteBodyGraph, IsRightAgainWhenOnlyTheValuesChange) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  BodyGraphFactor factor;
  // The same seed for the structure, so that bodies and groups are the same; other numbers in the blocks.
  for (double scale : {1.0, -2.5, 0.1}) {
    Random random(GetParam());
    BodyMatrix a;
    for (int size : {6, 6, 3, 6, 1}) a.add(std::abs(scale) * random.positive_definite(size));
    BlockRows j;
    for (const auto& [first, second] : {std::pair{0, 1}, {1, 2}, {3, 1}, {2, 4}, {0, 0}, {4, 0}}) {
      j.begin_group(3);
      j.add(a, first, scale * random.matrix(3, a.size(first)));
      j.add(a, second, random.matrix(3, a.size(second)));
    }
    expect_solves(factor, random, a, j);
  }
}

TEST_P(PositiveDefiniteBodyGraph, IsRightAgainWhenThePatternChanges) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  BodyGraphFactor factor;
  const BodyMatrix a = random_blocks(random, {6, 6, 3, 6});
  expect_solves(factor, random, a, random_rows(random, a, 5));
  expect_solves(factor, random, a, random_rows(random, a, 5));  // as many groups, on other bodies
  expect_solves(factor, random, a, random_rows(random, a, 9));
  const BodyMatrix swapped = random_blocks(random, {6, 3, 6, 6});  // as many rows, other blocks
  expect_solves(factor, random, swapped, random_rows(random, swapped, 9));
  const BodyMatrix more = random_blocks(random, {6, 3, 6, 6, 2});
  expect_solves(factor, random, more, random_rows(random, more, 2));
}

INSTANTIATE_TEST_SUITE_P(Seeds, PositiveDefiniteBodyGraph, ::testing::Range(1u, 11u));

TEST(BodyGraphFactor, SolvesAloneWithAWhenThereAreNoRows) {
  Random random(3);
  const BodyMatrix a = random_blocks(random, {6, 3});
  BodyGraphFactor factor;
  expect_solves(factor, random, a, BlockRows());
}

TEST(BodyGraphFactor, HandlesGroupsOfThreeBodiesAndOfNone) {
  Random random(4);
  const BodyMatrix a = random_blocks(random, {6, 3, 6, 1});
  BlockRows j;
  j.begin_group(2);
  j.begin_group(3);
  for (int block : {2, 0, 3}) j.add(a, block, random.matrix(3, a.size(block)));
  j.begin_group(1);
  j.add(a, 1, random.matrix(1, 3));
  BodyGraphFactor factor;
  expect_solves(factor, random, a, j);
}

TEST(BodyGraphFactor, SaysSoWhenTheSumIsNotPositiveDefinite) {
  Random random(5);
  const BodyMatrix a = random_blocks(random, {3, 3});
  BlockRows j;
  j.begin_group(3);
  j.add(a, 0, MatX::Identity(3, 3));
  j.add(a, 1, -MatX::Identity(3, 3));
  BodyGraphFactor factor;
  factor.analyse(a, j);
  const std::vector<Mat3> negative(1, Mat3(-100.0 * Mat3::Identity()));
  EXPECT_FALSE(factor.factorise(a, j, negative, Form::positive_definite));
  const std::vector<Mat3> sound(1, Mat3::Identity());
  EXPECT_TRUE(factor.factorise(a, j, sound, Form::positive_definite))
      << "a failed factorisation must not spoil the next";
}

TEST(BodyGraphFactor, IsTheSameToTheBitWithAndWithoutAnOlderPattern) {
  Random random(6);
  const BodyMatrix a = random_blocks(random, {6, 6, 6, 3});
  const BlockRows j = random_rows(random, a, 12);
  const BlockRows other = random_rows(random, a, 7);
  const std::vector<Mat3> theta = random_weights(random, j);
  const VecX y = random.vector(a.rows());
  BodyGraphFactor fresh;
  BodyGraphFactor used;
  used.analyse(a, other);
  ASSERT_TRUE(used.factorise(a, other, random_weights(random, other), Form::positive_definite));
  VecX x_fresh;
  VecX x_used;
  for (BodyGraphFactor* factor : {&fresh, &used}) {
    factor->analyse(a, j);
    ASSERT_TRUE(factor->factorise(a, j, theta, Form::positive_definite));
    factor->solve(y, factor == &fresh ? x_fresh : x_used);
  }
  EXPECT_EQ(x_fresh, x_used);
}

/// Blocks without symmetry whose symmetric part is positive: as slipping contacts give them, on average.
std::vector<Mat3> skew_weights(Random& random, const BlockRows& j) {
  std::vector<Mat3> theta(static_cast<std::size_t>(j.groups()), Mat3::Constant(1e300));  // beyond dim is not read
  for (int g = 0; g < j.groups(); ++g) {
    const int dim = j.group(g).dim;
    MatX weight = random.positive_definite(dim) + 0.5 * random.matrix(dim, dim);
    if (g % 6 == 5) weight.setZero();
    theta[g].topLeftCorner(dim, dim) = weight;
  }
  return theta;
}

void expect_solves_generally(BodyGraphFactor& factor, Random& random, const BodyMatrix& a, const BlockRows& j) {
  const std::vector<Mat3> theta = skew_weights(random, j);
  factor.analyse(a, j);
  ASSERT_TRUE(factor.factorise(a, j, theta, Form::general));
  const VecX y = random.vector(a.rows());
  VecX x;
  factor.solve(y, x);
  const MatX h = dense_sum(a, j, theta);
  // Without exchanges between bodies some digits go: the blocks are random, with pivots of any size.
  EXPECT_LE((h * x - y).norm(), 1e-10 * (h.norm() * x.norm() + y.norm()));
}

class GeneralBodyGraph : public ::testing::TestWithParam<unsigned> {};

TEST_P(GeneralBodyGraph, EliminatesTheNodesOfABodyOneByOne) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  BodyMatrix a = random_blocks(random, {6, 3, 6});
  a.add(random_coupled_body(random, 40));
  a.add(random.positive_definite(6));
  const BlockRows j = random_rows(random, a, 30);
  BodyGraphFactor factor;
  expect_solves_generally(factor, random, a, j);
}

TEST_P(GeneralBodyGraph, AgreesWithTheDenseMatrix) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  const BodyMatrix a = random_blocks(random, {6, 3, 1, 2, 6, 3, 6, 6, 4});
  const BlockRows j = random_rows(random, a, 24);
  BodyGraphFactor factor;
  expect_solves_generally(factor, random, a, j);
  expect_solves_generally(factor, random, a, j);  // same pattern, other numbers
  const BodyMatrix b = random_blocks(random, {3, 3, 6, 15, 6});
  expect_solves_generally(factor, random, b, random_rows(random, b, 9));
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneralBodyGraph, ::testing::Range(1u, 21u));

/// H x without a dense H, for graphs too large for one.
VecX multiply(const BodyMatrix& a, const BlockRows& j, const std::vector<Mat3>& theta, const VecX& x) {
  VecX u;
  j.multiply(x, u);
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    const VecX weighted = theta[g].topLeftCorner(rows.dim, rows.dim) * u.segment(rows.row, rows.dim);
    u.segment(rows.row, rows.dim) = weighted;
  }
  VecX y = VecX::Zero(a.rows());
  for (int i = 0; i < a.blocks(); ++i) {
    y.segment(a.offset(i), a.size(i)) = a.block(i) * x.segment(a.offset(i), a.size(i));
  }
  j.add_transposed(u, y);
  return y;
}

TEST(BodyGraphFactor, SolvesPilesLargeEnoughForWideSupernodesAndNestedDissection) {
  Random random(9);
  const Lattice lattice(random, 9);
  BodyGraphFactor factor;
  factor.analyse(lattice.a, lattice.j);
  const VecX y = random.vector(lattice.a.rows());
  for (const Form form : {Form::general, Form::positive_definite, Form::general}) {
    const std::vector<Mat3> theta =
        form == Form::general ? skew_weights(random, lattice.j) : random_weights(random, lattice.j);
    ASSERT_TRUE(factor.factorise(lattice.a, lattice.j, theta, form));
    VecX x;
    factor.solve(y, x);
    // Round-off of some thousand dofs, times what pivots without exchanges lose.
    EXPECT_LE((multiply(lattice.a, lattice.j, theta, x) - y).norm(), 1e-10 * y.norm());
  }
}

TEST(BodyGraphFactor, TakesABodyWiderThanAnySupernode) {
  Random random(10);
  const BodyMatrix a = random_blocks(random, {6, 60, 3, 6});
  const BlockRows j = random_rows(random, a, 12);
  BodyGraphFactor factor;
  expect_solves(factor, random, a, j);
  expect_solves_generally(factor, random, a, j);
}

TEST(BodyGraphFactor, OfBodiesThatTouchNothingSolvesWithA) {
  Random random(1);
  const BodyMatrix a = random_blocks(random, {6, 3});
  BodyGraphFactor factor;
  const BlockRows none;
  factor.analyse(a, none);
  ASSERT_TRUE(factor.factorise(a, none, {}, Form::general));
  const VecX y = random.vector(a.rows());
  VecX x;
  VecX expected;
  factor.solve(y, x);
  a.solve(y, expected);
  EXPECT_LE((x - expected).norm(), 1e-12 * expected.norm());
}

TEST(BodyGraphFactor, IsAsNewAfterARefusalForMemory) {
  Random random(11);
  const BodyMatrix a = random_blocks(random, {6, 3, 6, 1, 4});
  const BlockRows j = random_rows(random, a, 12);
  const BlockRows other = random_rows(random, a, 9);
  BodyGraphFactor fresh;
  BodyGraphFactor used;
  expect_solves(used, random, a, other);
  for (BodyGraphFactor* factor : {&fresh, &used}) {
    set_memory_limit(100.0);
    for (int time = 0; time < 2; ++time) EXPECT_THROW(factor->analyse(a, j), MemoryError) << time;
    set_memory_limit(0.0);
    expect_solves(*factor, random, a, j);
    expect_solves(*factor, random, a, other);
  }
}

TEST(BodyGraphFactor, RefusesASingularPivot) {
  BodyMatrix a;
  a.add(MatX::Identity(1, 1));
  BlockRows j;
  j.begin_group(1);
  j.add(a, 0, MatX::Identity(1, 1));
  const std::vector<Mat3> theta{Mat3(-Mat3::Identity())};  // 1 − 1 = 0
  BodyGraphFactor factor;
  factor.analyse(a, j);
  EXPECT_FALSE(factor.factorise(a, j, theta, Form::general));
}

}  // namespace
}  // namespace cardhouse::testing
