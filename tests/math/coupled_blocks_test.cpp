#include "cardhouse/math/coupled_blocks.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <limits>
#include <numeric>

#include "cardhouse/base/memory_limit.h"
#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

// Condition numbers are below 1e3 and there are at most 60 rows: solves keep eleven digits.
constexpr double kSolveTolerance = 1e-11;

class CoupledBlocksMatrix : public ::testing::TestWithParam<unsigned> {
 protected:
  CoupledBlocksMatrix()
      : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()), random(GetParam()) {
    a = *random_coupled_body(random, 20);
    twin = dense(a);
  }

 private:
  ::testing::ScopedTrace trace_;

 protected:
  Random random;
  CoupledBlocks a;
  MatX twin;
};

TEST_P(CoupledBlocksMatrix, MultipliesAsItsDenseTwin) {
  const VecX x = random.vector(a.rows());
  VecX y(a.rows());
  a.multiply(x.data(), y.data());
  EXPECT_LE((y - twin * x).norm(), 1e-14 * twin.norm() * x.norm());
}

TEST_P(CoupledBlocksMatrix, SolvesAsItsDenseTwin) {
  const VecX x = random.vector(a.rows());
  VecX y(a.rows());
  a.solve(x.data(), y.data());
  const VecX expected = twin.partialPivLu().solve(x);
  EXPECT_LE((y - expected).norm(), kSolveTolerance * expected.norm());
}

TEST_P(CoupledBlocksMatrix, HasBlocksOfItsInverseWhetherNodesAreCoupledOrNot) {
  const MatX inverse = twin.inverse();
  for (int i = 0; i < a.nodes(); ++i) {
    for (int k = 0; k < a.nodes(); ++k) {
      const MatX expected = inverse.block(a.offset(i), a.offset(k), a.size(i), a.size(k));
      EXPECT_LE((a.inverse_block(i, k) - expected).norm(), kSolveTolerance * inverse.norm()) << i << " " << k;
    }
  }
}

TEST_P(CoupledBlocksMatrix, HasARootOfItsInverse) {
  const VecX x = random.vector(a.rows());
  VecX y(a.rows());
  a.solve_root(x.data(), y.data());
  const double expected = x.dot(twin.partialPivLu().solve(x));
  EXPECT_NEAR(y.squaredNorm(), expected, kSolveTolerance * expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoupledBlocksMatrix, ::testing::Range(1u, 6u));

TEST(CoupledBlocks, RefusesWhatIsNotPositiveDefinite) {
  CoupledBlocks a;
  a.add_node(2);
  a.add_node(1);
  a.diagonal(0) = MatX::Identity(2, 2);
  a.diagonal(1)(0, 0) = 1.0;
  const CoupledBlocks::Coupling coupling = a.add_coupling(1, 0);
  a.block(coupling)(0, 0) = 2.0;
  EXPECT_FALSE(a.factorise());
  a.block(coupling)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(a.factorise());
  a.block(coupling)(0, 0) = 0.5;
  EXPECT_TRUE(a.factorise());
}

TEST(CoupledBlocks, TellsTheMemoryOfItsFactor) {
  CoupledBlocks chain;
  for (int n = 0; n < 1000; ++n) chain.add_node(1);
  for (int n = 0; n < 1000; ++n) chain.diagonal(n)(0, 0) = 3.0;
  for (int n = 1; n < 1000; ++n) chain.block(chain.add_coupling(n, n - 1))(0, 0) = -1.0;
  EXPECT_EQ(chain.factor_bytes(), 0u);
  ASSERT_TRUE(chain.factorise());
  // A chain's factor fills nothing: 1000 numbers on the diagonal and 999 beside it, each with its index, in L and in Z.
  EXPECT_EQ(chain.factor_bytes(), 1999u * 2u * 12u);
}

/// Nodes of three dofs on a square grid, each coupled with its neighbours and across, in an order that is no order.
CoupledBlocks net(Random& random, int side) {
  std::vector<int> node_at(static_cast<std::size_t>(side * side));
  std::iota(node_at.begin(), node_at.end(), 0);
  for (int n = side * side - 1; n > 0; --n) std::swap(node_at[n], node_at[random.index(n + 1)]);
  CoupledBlocks result;
  for (int n = 0; n < side * side; ++n) result.add_node(3);
  for (int n = 0; n < side * side; ++n) result.diagonal(n) = 10.0 * MatX::Identity(3, 3);
  const auto couple = [&](int one, int other) {
    result.block(result.add_coupling(node_at[one], node_at[other])) = 0.1 * random.matrix(3, 3);
  };
  for (int i = 0; i < side; ++i) {
    for (int k = 0; k < side; ++k) {
      const int own = i * side + k;
      if (k + 1 < side) couple(own, own + 1);
      if (i + 1 < side) couple(own, own + side);
      if (i + 1 < side && k + 1 < side && random.index(2) == 0) couple(own, own + side + 1);
    }
  }
  return result;
}

TEST(CoupledBlocks, RefusesAByteBelowWhatTheFactorTakes) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    CoupledBlocks a = net(random, 4 + static_cast<int>(seed));
    ASSERT_TRUE(a.factorise());
    const double bytes = static_cast<double>(a.factor_bytes());
    set_memory_limit(bytes - 1.0);
    EXPECT_THROW(a.factorise(), MemoryError) << "seed " << seed;
    set_memory_limit(bytes);
    EXPECT_TRUE(a.factorise()) << "seed " << seed;
    set_memory_limit(0.0);
  }
}

}  // namespace
}  // namespace cardhouse::testing
