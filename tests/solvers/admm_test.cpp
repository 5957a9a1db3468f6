#include "cardhouse/solvers/admm.h"

#include <gtest/gtest.h>

#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

TEST(Admm, ConvergesOnPilesInBothForms) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Law laws[] = {coulomb(0.3), polygonal(0.5), elliptic(0.6, 0.2)};
    const ContactProblem problem = random_pile(seed, 5, laws[seed % 3]);
    Admm solver{SolverOptions()};
    for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
      const Outcome outcome = solve_cold(solver, form);
      EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
      EXPECT_LE(outcome.residual, 1e-8);
    }
  }
}

TEST(Admm, StartsWhereTheGuessIs) {
  const ContactProblem problem = random_pile(3, 5, coulomb(0.5));
  Admm solver{SolverOptions()};
  const Outcome cold = solve_cold(solver, problem);
  const Outcome warm = solve_with(solver, problem, (1.0 + 1e-6) * cold.solution.r);
  EXPECT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
  EXPECT_LT(warm.report.inner_iterations, cold.report.inner_iterations);
}

TEST(Admm, EndsAtItsLimitWithTheBestAnswer) {
  SolverOptions options;
  options.max_iterations = 2;
  Admm solver{options};
  const ContactProblem problem = random_pile(3, 9, coulomb(0.5));
  const Outcome outcome = solve_cold(solver, problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(outcome.report.iterations, 2);
  EXPECT_LT(outcome.residual, certify(problem, VecX::Zero(problem.rows())).residual);
}

}  // namespace
}  // namespace cardhouse::testing
