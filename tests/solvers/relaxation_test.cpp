#include <gtest/gtest.h>

#include "cardhouse/solvers/auto_solver.h"
#include "cardhouse/solvers/convex_relaxation.h"
#include "cardhouse/solvers/successive_relaxation.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// Mass 1, 3 m/s along the floor and 1 m/s into it: what slides opens at mu times its speed.
TEST(ConvexRelaxation, LetsASlidingParticleOpenAtMuTimesItsSpeed) {
  for (const Law& law : {coulomb(0.25), polygonal(0.25), elliptic(0.25, 0.1)}) {
    ProblemBuilder builder;
    builder.body(MatX::Identity(3, 3), Vec3(-1, 3, 0));
    builder.rows(law, {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));
    ConvexRelaxation solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, builder.problem);
    const Vec3 v = outcome.solution.v;
    EXPECT_NEAR(v[0], 0.25 * v[1], 1e-9);
    EXPECT_GT(v[1], 1.0);
    EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
    EXPECT_NE(outcome.report.reason.find("relaxed"), std::string::npos) << outcome.report.reason;
    EXPECT_GT(outcome.residual, 0.01);
  }
}

TEST(ConvexRelaxation, IsCoulombsLawWhereNothingSlides) {
  ConvexRelaxation solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, box_stack(5).problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, 1e-8);
}

TEST(ConvexRelaxation, KeepsItsOwnAnswerEvenWhenTheGuessIsCoulombs) {
  const SolvedProblem sliding = sliding_box(0.6);
  ConvexRelaxation solver{SolverOptions()};
  EXPECT_GT(solve_with(solver, sliding.problem, sliding.r).residual, 0.01);
}

/// A particle between two walls, one moving up and one moving down: both contacts slide whatever it does, and no motion
/// opens both. Coulomb's law has an answer.
TEST(Relaxations, DoNotCallAProblemInfeasibleThatTheyOnlyRelaxTooMuch) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2(-1, 0));
  builder.rows(coulomb(0.5), {{0, MatX::Identity(2, 2)}}, Vec2(0, 1));
  builder.rows(coulomb(0.5), {{0, -MatX::Identity(2, 2)}}, Vec2(0, 1));
  ConvexRelaxation relaxed{SolverOptions()};
  SuccessiveRelaxation successive{SolverOptions()};
  for (Solver* solver : std::initializer_list<Solver*>{&relaxed, &successive}) {
    const Outcome outcome = solve_cold(*solver, builder.problem);
    EXPECT_NE(outcome.report.status, SolveStatus::infeasible) << outcome.report.reason;
    EXPECT_TRUE(outcome.report.conflicting_rows.empty());
  }
  AutoSolver best{SolverOptions()};
  EXPECT_EQ(solve_cold(best, builder.problem).report.status, SolveStatus::converged);
}

TEST(SuccessiveRelaxation, ConvergesOnPilesWithEveryFrictionSet) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Law laws[] = {coulomb(0.3), polygonal(0.5), elliptic(0.6, 0.2)};
    const ContactProblem problem = random_pile(seed, 5, laws[seed % 3]);
    SuccessiveRelaxation solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, 1e-8);
  }
}

TEST(SuccessiveRelaxation, NeedsNoAccelerationWhenFrictionIsSmall) {
  SuccessiveRelaxationOptions plain;
  plain.anderson_depth = 0;
  const ContactProblem problem = random_pile(2, 5, coulomb(0.1));
  SuccessiveRelaxation slow{SolverOptions(), plain};
  SuccessiveRelaxation quick{SolverOptions()};
  const Outcome without = solve_cold(slow, problem);
  EXPECT_EQ(without.report.status, SolveStatus::converged) << without.report.reason;
  EXPECT_LE(solve_cold(quick, problem).report.iterations, without.report.iterations);
}

}  // namespace
}  // namespace cardhouse::testing
