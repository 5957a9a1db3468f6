#include "cardhouse/solvers/relaxed_starts.h"

#include <gtest/gtest.h>

#include "cardhouse/solvers/newton.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

std::vector<std::shared_ptr<Solver>> newton_alone() {
  return {std::make_shared<Newton>(SolverOptions())};
}

TEST(RelaxedStarts, EndPilesThatSlide) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const ContactProblem pile = random_pile(seed, 9, coulomb(0.5));
    RelaxedStarts solver(SolverOptions(), newton_alone());
    const Outcome outcome = solve_cold(solver, pile);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, 1e-8) << "seed " << seed;
    EXPECT_EQ(outcome.report.methods.front(), "successive-relaxation");
  }
}

/// A guess is the answer to improve on, and no start: what is found does not depend on it.
TEST(RelaxedStarts, StartFromNoImpulses) {
  const ContactProblem pile = random_pile(3, 9, coulomb(0.5));
  RelaxedStarts solver(SolverOptions(), newton_alone());
  const Outcome cold = solve_cold(solver, pile);
  const Outcome other = solve_with(solver, pile, VecX::Constant(pile.rows(), 1.0));
  EXPECT_EQ(cold.solution.r, other.solution.r);
}

TEST(RelaxedStarts, KeepAGuessThatIsGoodEnough) {
  const ContactProblem pile = random_pile(2, 9, coulomb(0.5));
  RelaxedStarts solver(SolverOptions(), newton_alone());
  const Outcome cold = solve_cold(solver, pile);
  const Outcome warm = solve_with(solver, pile, cold.solution.r);
  EXPECT_EQ(warm.report.iterations, 0);
  EXPECT_TRUE(warm.solution.r.isApprox(cold.solution.r, 1e-14));  // projected onto the laws once more
}

TEST(RelaxedStarts, GiveUpAfterTheProgramsThatTheyAreGiven) {
  const ContactProblem pile = random_pile(1, 9, coulomb(0.5));
  RelaxedStartsOptions own;
  own.most_programs = 0;
  RelaxedStarts solver(SolverOptions(), newton_alone(), own);
  const Outcome outcome = solve_cold(solver, pile);
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(outcome.report.iterations, 0);
}

TEST(RelaxedStarts, RefuseContactsThatAreSofterAcrossTheirNormal) {
  ContactProblem pile = random_pile(1, 6, coulomb(0.5));
  pile.compliance[1] = 0.1;
  RelaxedStarts solver(SolverOptions(), newton_alone());
  EXPECT_EQ(solve_cold(solver, pile).report.status, SolveStatus::unsupported);
}

}  // namespace
}  // namespace cardhouse::testing
