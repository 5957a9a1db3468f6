#include "cardhouse/solvers/newton_starts.h"

#include <gtest/gtest.h>

#include "cardhouse/solvers/gauss_seidel.h"
#include "cardhouse/solvers/newton.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

enum class Kind { sweeps, relaxed };

std::unique_ptr<Walk> walk_of(Kind kind) {
  if (kind == Kind::relaxed) return std::make_unique<RelaxedWalk>(SolverOptions(), 0.5);
  SolverOptions few;
  few.max_iterations = 20;
  return std::make_unique<SweepWalk>("gauss-seidel", std::make_unique<GaussSeidel>(few), few);
}

NewtonStarts starts_along(Kind kind, const NewtonStartsOptions& own = {}) {
  std::vector<std::unique_ptr<Solver>> newton;
  newton.push_back(std::make_unique<Newton>(SolverOptions()));
  return {SolverOptions(), walk_of(kind), std::move(newton), own};
}

class NewtonStartsAlong : public ::testing::TestWithParam<Kind> {};

TEST_P(NewtonStartsAlong, EndPilesThatSlide) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const ContactProblem pile = random_pile(seed, 9, coulomb(0.5));
    NewtonStarts solver = starts_along(GetParam());
    const Outcome outcome = solve_cold(solver, pile);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, 1e-8) << "seed " << seed;
    EXPECT_EQ(outcome.report.methods.front(), walk_of(GetParam())->method());
  }
}

TEST_P(NewtonStartsAlong, KeepAGuessThatIsGoodEnough) {
  const ContactProblem pile = random_pile(2, 9, coulomb(0.5));
  NewtonStarts solver = starts_along(GetParam());
  const Outcome cold = solve_cold(solver, pile);
  const Outcome warm = solve_with(solver, pile, cold.solution.r);
  EXPECT_EQ(warm.report.iterations, 0);
  EXPECT_TRUE(warm.solution.r.isApprox(cold.solution.r, 1e-14));  // projected onto the laws once more
}

TEST_P(NewtonStartsAlong, GiveUpAfterTheLegsThatTheyAreGiven) {
  const ContactProblem pile = random_pile(1, 9, coulomb(0.5));
  NewtonStartsOptions own;
  own.legs = 0;
  NewtonStarts solver = starts_along(GetParam(), own);
  const Outcome outcome = solve_cold(solver, pile);
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(outcome.report.iterations, 0);
}

TEST_P(NewtonStartsAlong, StartNewtonOnlyWhereTheyAreTold) {
  const ContactProblem pile = random_pile(1, 9, coulomb(0.5));
  NewtonStartsOptions own;
  own.legs = 2;
  own.first_starts = 0;
  own.every = 3;
  NewtonStarts solver = starts_along(GetParam(), own);
  const std::vector<std::string> alone = {walk_of(GetParam())->method()};
  EXPECT_EQ(solve_cold(solver, pile).report.methods, alone);
}

INSTANTIATE_TEST_SUITE_P(Walks, NewtonStartsAlong, ::testing::Values(Kind::sweeps, Kind::relaxed),
                         [](const auto& test) { return test.param == Kind::sweeps ? "Sweeps" : "Relaxed"; });

TEST(RelaxedWalk, RefusesContactsThatAreSofterAcrossTheirNormal) {
  ContactProblem pile = random_pile(1, 6, coulomb(0.5));
  pile.compliance[1] = 0.1;
  NewtonStarts solver = starts_along(Kind::relaxed);
  EXPECT_EQ(solve_cold(solver, pile).report.status, SolveStatus::unsupported);
}

}  // namespace
}  // namespace cardhouse::testing
