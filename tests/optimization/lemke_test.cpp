#include "cardhouse/optimization/lemke.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <optional>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

/// Data near 1 and well conditioned bases: round-off with room for it to grow.
constexpr double kTolerance = 1e-10;

/// The solution of an LCP by trying all 2ⁿ complementary bases. A P-matrix has just one.
std::optional<VecX> enumerate(const Lcp& lcp) {
  const int n = lcp.size();
  for (unsigned basis = 0; basis < (1u << n); ++basis) {
    MatX b = MatX::Identity(n, n);
    for (int i = 0; i < n; ++i) {
      if (basis >> i & 1u) b.col(i) = -lcp.m.col(i);
    }
    const VecX x = b.partialPivLu().solve(lcp.q);
    if (!x.allFinite() || x.minCoeff() < -1e-12) continue;  // a singular basis, or the wrong one
    VecX z = VecX::Zero(n);
    for (int i = 0; i < n; ++i) {
      if (basis >> i & 1u) z[i] = x[i];
    }
    return z;
  }
  return std::nullopt;
}

void expect_solution(const Lcp& lcp, const VecX& expected) {
  const LemkeResult result = solve_lemke(lcp);
  ASSERT_EQ(result.status, LemkeStatus::solved);
  EXPECT_LE((result.z - expected).norm(), kTolerance * (1.0 + expected.norm()));
}

TEST(Lemke, SolvesSmallProblemsWithKnownAnswers) {
  expect_solution({(MatX(2, 2) << 2, 1, 1, 2).finished(), Vec2(-5, -6)}, Vec2(4.0 / 3.0, 7.0 / 3.0));
  // min ½‖x‖² − 3x − y over x + y ≤ 2, x, y ≥ 0: at (2, 0) with multiplier 1.
  expect_solution({(MatX(3, 3) << 1, 0, 1, 0, 1, 1, -1, -1, 0).finished(), Vec3(-3, -1, 2)}, Vec3(2, 0, 1));
  // The linear program max x over x ≤ 2 and its dual.
  expect_solution({(MatX(2, 2) << 0, 1, -1, 0).finished(), Vec2(-1, 2)}, Vec2(2, 1));
}

TEST(Lemke, OfNonnegativeQNeedsNoPivot) {
  Random random(1);
  const LemkeResult result = solve_lemke({random.matrix(3, 3), Vec3(0, 1, 2)});
  EXPECT_EQ(result.status, LemkeStatus::solved);
  EXPECT_EQ(result.z, Vec3::Zero());
  EXPECT_EQ(result.pivots, 0);
  EXPECT_EQ(solve_lemke({}).status, LemkeStatus::solved);
}

/// Kostreva's matrix, on which least-index-free rules of Murty's method cycle; with this q every ratio ties.
TEST(Lemke, DoesNotCycleWhereAllRatiosTie) {
  const MatX m = (MatX(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  expect_solution({m, Vec3(-1, -1, -1)}, Vec3::Constant(1.0 / 3.0));
}

/// Fathi's symmetric matrices: Murty's and Lemke's methods need exponentially many steps in the order, and each is a
/// hard test of the bases' conditioning.
TEST(Lemke, SolvesFathisProblems) {
  for (int n = 2; n <= 10; ++n) {
    MatX lower = MatX::Identity(n, n);
    for (int i = 0; i < n; ++i) lower.row(i).head(i).setConstant(2.0);
    const Lcp lcp{lower * lower.transpose(), VecX::Constant(n, -1.0)};
    expect_solution(lcp, VecX::Unit(n, 0));
  }
}

TEST(Lemke, ReportsARayWhereThereIsNoSolution) {
  const Lcp hopeless[] = {
      {MatX::Constant(1, 1, -1.0), VecX::Constant(1, -1.0)},
      {MatX::Zero(1, 1), VecX::Constant(1, -1.0)},
      // A floor that rises against a ceiling that falls.
      {(MatX(2, 2) << 1, -1, -1, 1).finished(), Vec2(-1, -1)},
  };
  for (const Lcp& lcp : hopeless) {
    EXPECT_FALSE(enumerate(lcp).has_value());
    const LemkeResult result = solve_lemke(lcp);
    EXPECT_EQ(result.status, LemkeStatus::ray);
    EXPECT_EQ(result.z.size(), 0);
    EXPECT_EQ(result.ray.size(), lcp.size());
  }
  // Floor and ceiling push against each other without end.
  EXPECT_LE((solve_lemke(hopeless[2]).ray - Vec2(1, 1)).norm(), kTolerance);
}

TEST(Lemke, StopsAtItsLimits) {
  Random random(2);
  const Lcp lcp{random.positive_definite(20), -VecX::Ones(20)};
  LemkeOptions options;
  options.max_pivots = 3;
  const LemkeResult limited = solve_lemke(lcp, options);
  EXPECT_EQ(limited.status, LemkeStatus::iteration_limit);
  EXPECT_EQ(limited.pivots, 3);
  options = {};
  int asked = 0;
  options.stop = [&] { return ++asked == 5; };
  const LemkeResult stopped = solve_lemke(lcp, options);
  EXPECT_EQ(stopped.status, LemkeStatus::stopped);
  EXPECT_EQ(stopped.pivots, 5);
}

TEST(Lemke, FailsOnDataThatAreNotNumbers) {
  Lcp lcp{MatX::Identity(2, 2), Vec2(-1, -1)};
  lcp.q[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solve_lemke(lcp).status, LemkeStatus::failed);
  lcp.q[1] = -1.0;
  lcp.m.coeffRef(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solve_lemke(lcp).status, LemkeStatus::failed);
}

class LemkeOnRandomProblems : public ::testing::TestWithParam<unsigned> {
 protected:
  LemkeOnRandomProblems()
      : random(GetParam()), trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}
  Random random;

 private:
  ::testing::ScopedTrace trace_;
};

/// Positive definite and far from symmetric, its rows and columns scaled: a P-matrix.
MatX random_p_matrix(Random& random, int size) {
  const MatX any = random.matrix(size, size);
  MatX m = random.positive_definite(size) + any - any.transpose();
  for (int i = 0; i < size; ++i) {
    m.row(i) *= random.uniform(0.3, 3.0);
    m.col(i) *= random.uniform(0.3, 3.0);
  }
  return m;
}

TEST_P(LemkeOnRandomProblems, OfPMatricesAgreesWithEnumeration) {
  const Lcp lcp{random_p_matrix(random, 2 + static_cast<int>(GetParam() % 8)), {}};
  const Lcp problem{lcp.m, random.vector(static_cast<int>(lcp.m.rows()))};
  const auto expected = enumerate(problem);
  ASSERT_TRUE(expected.has_value());
  expect_solution(problem, *expected);
}

/// Semidefinite of rank 6, with a solution that is known: z_i > 0 in every `stride`th pair, w_i ≥ 0 in the others.
template <class Opening>
Lcp low_rank_problem(Random& random, int n, int stride, Opening opening) {
  const MatX j = random.matrix(n, 6);
  Lcp lcp{j * j.transpose() / 6.0, VecX()};
  VecX z = VecX::Zero(n);
  VecX w = VecX::Zero(n);
  for (int i = 0; i < n; ++i) (i % stride == 0 ? z[i] : w[i]) = i % stride == 0 ? random.uniform(0.1, 1.0) : opening(i);
  lcp.q = w - lcp.m * z;
  return lcp;
}

void expect_solved(const Lcp& lcp, double tolerance) {
  const LemkeResult result = solve_lemke(lcp);
  ASSERT_EQ(result.status, LemkeStatus::solved);
  EXPECT_LE(lcp_error(lcp, result.z), tolerance);
}

/// Degenerate: pairs with z_i = w_i = 0.
TEST_P(LemkeOnRandomProblems, SolvesSingularDegenerateProblems) {
  const auto opening = [&](int i) { return i % 3 == 2 ? 0.0 : random.uniform(0.1, 1.0); };
  expect_solved(low_rank_problem(random, 30, 3, opening), kTolerance);
}

/// As the gaps of a pile: what should tie differs by about the tolerance of ties, and by less than what counts as
/// solved.
TEST_P(LemkeOnRandomProblems, SolvesProblemsWhoseTiesAreOffByRoundOff) {
  expect_solved(low_rank_problem(random, 60, 6, [&](int) { return 1e-11 * random.uniform(0.1, 1.0); }), 1e-8);
}

TEST_P(LemkeOnRandomProblems, GivesTheSameBitsTwice) {
  const Lcp lcp{random_p_matrix(random, 15), random.vector(15)};
  EXPECT_EQ(solve_lemke(lcp).z, solve_lemke(lcp).z);
}

/// Between refactorisations exchanges are kept; the answer must not depend on how often.
TEST_P(LemkeOnRandomProblems, AnswersAlikeHoweverOftenItRefactorises) {
  const Lcp lcp{random_p_matrix(random, 40), random.vector(40)};
  LemkeOptions always;
  always.refactorise_every = 1;
  LemkeOptions never;
  never.refactorise_every = 1000000;
  const LemkeResult one = solve_lemke(lcp, always);
  const LemkeResult other = solve_lemke(lcp, never);
  ASSERT_EQ(one.status, LemkeStatus::solved);
  ASSERT_EQ(other.status, LemkeStatus::solved);
  EXPECT_LE((one.z - other.z).norm(), kTolerance * (1.0 + one.z.norm()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, LemkeOnRandomProblems, ::testing::Range(1u, 41u));

/// Symmetric, with eigenvalues from 1 down to `least`: there is a solution, and it may be as large as 1/least.
Lcp graded_problem(Random& random, double least) {
  constexpr int n = 40;
  const MatX q = random.matrix(n, n).householderQr().householderQ();
  VecX eigenvalues(n);
  for (int i = 0; i < n; ++i) eigenvalues[i] = std::pow(least, i / (n - 1.0));
  return {q * eigenvalues.asDiagonal() * q.transpose(), random.vector(n)};
}

struct GradedRuns {
  int solved = 0, rays = 0, lost = 0, factorisations = 0;
};

GradedRuns run_graded(double least) {
  LemkeOptions options;
  options.refactorise_every = 1000000;  // only where digits are lost
  GradedRuns runs;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "least " << least << ", seed " << seed);
    Random random(seed);
    const Lcp lcp = graded_problem(random, least);
    const LemkeResult result = solve_lemke(lcp, options);
    runs.factorisations += result.factorisations;
    if (result.status == LemkeStatus::solved) {
      ++runs.solved;
      EXPECT_LE(lcp_error(lcp, result.z), 1e-8);  // what is accepted as solved, 1e-9 of a q up to 10
    } else if (result.status == LemkeStatus::lost_digits) {
      ++runs.lost;
      EXPECT_GT(result.residual, 1e-9) << "this is what it means";
      EXPECT_EQ(result.ray.size(), 0);
    } else {
      EXPECT_EQ(result.status, LemkeStatus::ray);
      ++runs.rays;
    }
  }
  return runs;
}

TEST(LemkesDigits, AreEnoughForOneFactorisationWhereBasesAreWellConditioned) {
  const GradedRuns runs = run_graded(1e-4);
  EXPECT_EQ(runs.solved, 40);
  EXPECT_EQ(runs.factorisations, 40) << "the final ones";
}

TEST(LemkesDigits, AreHadAgainByFactorisingAnew) {
  const GradedRuns runs = run_graded(1e-12);
  EXPECT_GE(runs.solved, 38);
  EXPECT_GT(runs.factorisations, 2 * 40);
}

TEST(LemkesDigits, AreToldAsLostInsteadOfARayWhereThatDoesNotHelp) {
  const GradedRuns runs = run_graded(1e-14);
  EXPECT_GT(runs.lost, 0);
  EXPECT_LE(runs.rays, 2) << "without the check 10 are called rays, which these problems do not have";
  EXPECT_GE(runs.solved, 24);
}

}  // namespace
}  // namespace cardhouse::testing
