#include "cardhouse/solvers/auto_solver.h"

#include <gtest/gtest.h>

#include "contact/analytic_problems.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

class AutoOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

/// The default has no gaps: what one method lacks another one does.
TEST_P(AutoOnAnalyticProblems, SolvesThemInBothForms) {
  const ContactProblem& first = GetParam().solved.problem;
  const ContactProblem second = with_explicit_delassus(first);
  for (const ContactProblem* problem : {&first, &second}) {
    AutoSolver solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, *problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Analytic, AutoOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

TEST(Auto, NamesEachMethodThatItUsed) {
  const ContactProblem pile = random_pile(3, 9, coulomb(0.5));
  AutoSolver solver{SolverOptions()};
  const Outcome cold = solve_cold(solver, pile);
  ASSERT_EQ(cold.report.status, SolveStatus::converged) << cold.report.reason;
  EXPECT_EQ(cold.report.methods.front(), "gauss-seidel");
  const Outcome warm = solve_with(solver, pile, 1.001 * cold.solution.r);
  ASSERT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
  EXPECT_EQ(warm.report.methods, std::vector<std::string>{"newton"});
}

/// Balls on each other in columns: one contact each.
ContactProblem columns_of_balls(int columns, int height) {
  Random random(1);
  ProblemBuilder builder;
  for (int i = 0; i < columns * height; ++i) {
    builder.rigid(random.uniform(0.5, 2.0), 0.1, Vec3(0, 0, -9.81e-3) + 1e-3 * Vec3(random.vector(3)), Vec3::Zero());
    const Mat3 frame = frame_of(Vec3::UnitZ());
    std::vector<std::pair<int, MatX>> sides{{i, ProblemBuilder::rigid_rows(frame, -0.5 * Vec3::UnitZ())}};
    if (i % height > 0) sides.emplace_back(i - 1, -ProblemBuilder::rigid_rows(frame, 0.5 * Vec3::UnitZ()));
    builder.rows(coulomb(0.5), sides, Vec3::Zero());
  }
  return builder.problem;
}

TEST(Auto, SweepsFromAGuessWhereManySingleContactsNeedLittleAccuracy) {
  const ContactProblem balls = columns_of_balls(60, 4);
  SolverOptions coarse;
  coarse.tolerance = 1e-4;
  AutoSolver solver(coarse);
  const Outcome cold = solve_cold(solver, balls);
  const Outcome warm = solve_with(solver, balls, 1.1 * cold.solution.r);
  EXPECT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
  EXPECT_EQ(warm.report.methods, std::vector<std::string>{"gauss-seidel"});
  AutoSolver fine{SolverOptions()};
  EXPECT_EQ(solve_with(fine, balls, 1.1 * cold.solution.r).report.methods.front(), "newton");
}

TEST(Auto, NamesTheRowsThatContradictEachOther) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(1, 1), VecX::Zero(1));
  for (const double side : {1.0, -1.0}) {
    builder.rows(of_kind(Law::Kind::unilateral), {{0, MatX::Constant(1, 1, side)}}, VecX::Constant(1, -1.0));
  }
  AutoSolver solver{SolverOptions()};
  for (const ContactProblem& problem : {builder.problem, with_explicit_delassus(builder.problem)}) {
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::infeasible) << outcome.report.reason;
    EXPECT_EQ(outcome.report.conflicting_rows, (std::vector<int>{0, 1}));
  }
}

}  // namespace
}  // namespace cardhouse::testing
