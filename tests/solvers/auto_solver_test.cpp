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

/// Bodies on each other in columns, which meet at these places above the centre of the lower one.
ContactProblem columns(int count, int height, const std::vector<Vec3>& places) {
  Random random(1);
  ProblemBuilder builder;
  for (int i = 0; i < count * height; ++i) {
    builder.rigid(random.uniform(0.5, 2.0), 0.1, Vec3(0, 0, -9.81e-3) + 1e-3 * Vec3(random.vector(3)), Vec3::Zero());
    const Mat3 frame = frame_of(Vec3::UnitZ());
    for (const Vec3& place : places) {
      std::vector<std::pair<int, MatX>> sides{{i, ProblemBuilder::rigid_rows(frame, place - Vec3::UnitZ())}};
      if (i % height > 0) sides.emplace_back(i - 1, -ProblemBuilder::rigid_rows(frame, place));
      builder.rows(coulomb(0.5), sides, Vec3::Zero());
    }
  }
  return builder.problem;
}

ContactProblem columns_of_balls(int count, int height) {
  return columns(count, height, {0.5 * Vec3::UnitZ()});
}

/// Layers of balls, each in the hollows of the one below, touching their neighbours too: six contacts a ball.
ContactProblem packing_of_balls(int side) {
  Random random(2);
  ProblemBuilder builder;
  for (int i = 0; i < side * side * side; ++i) {
    builder.rigid(random.uniform(0.5, 2.0), 0.1, Vec3(0, 0, -9.81e-3) + 1e-3 * Vec3(random.vector(3)), Vec3::Zero());
    const int x = i % side;
    const int y = i / side % side;
    const int z = i / (side * side);
    const auto touch = [&](int dx, int dy, int dz, const Vec3& normal) {
      std::vector<std::pair<int, MatX>> sides{{i, ProblemBuilder::rigid_rows(frame_of(normal), -0.5 * normal)}};
      if (x - dx < 0 || x - dx >= side || y - dy < 0 || y - dy >= side) return;
      const int below = i - dx - side * (dy + side * dz);
      if (below >= 0) sides.emplace_back(below, -ProblemBuilder::rigid_rows(frame_of(normal), 0.5 * normal));
      builder.rows(coulomb(0.5), sides, Vec3::Zero());
    };
    touch(1, 0, 0, Vec3::UnitX());
    touch(0, 1, 0, Vec3::UnitY());
    if (z == 0) touch(0, 0, 1, Vec3::UnitZ());
    if (z == 0) continue;
    for (const int dx : {0, 1}) {
      for (const int dy : {0, 1}) touch(dx, dy, 1, Vec3(dx - 0.5, dy - 0.5, std::sqrt(0.5)));
    }
  }
  return builder.problem;
}

TEST(Auto, SweepsFromAGuessWhereLittleAccuracyIsAskedFor) {
  std::vector<Vec3> corners;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) corners.emplace_back(x, y, 0.5);
  }
  SolverOptions coarse;
  coarse.tolerance = 1e-4;
  for (const ContactProblem& problem : {columns_of_balls(60, 4), columns(15, 4, corners), columns(2, 2, corners)}) {
    AutoSolver solver(coarse);
    const Outcome cold = solve_cold(solver, problem);
    const Outcome warm = solve_with(solver, problem, 1.1 * cold.solution.r);
    EXPECT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
    EXPECT_EQ(warm.report.methods.front(), "gauss-seidel");
    AutoSolver fine{SolverOptions()};
    EXPECT_EQ(solve_with(fine, problem, 1.1 * cold.solution.r).report.methods.front(), "newton");
  }
}

/// The report tells which stage did what.
TEST(Auto, ReportsItsStages) {
  const ContactProblem pile = random_pile(3, 9, coulomb(0.5));
  AutoSolver solver{SolverOptions()};
  const SolveReport report = solve_cold(solver, pile).report;
  ASSERT_FALSE(report.stages.empty());
  EXPECT_EQ(report.stages.front().name, "sweeps");
  EXPECT_LE(report.stages.back().residual, 1e-8);
  int iterations = 0;
  for (const StageReport& stage : report.stages) {
    iterations += stage.iterations;
    EXPECT_GE(stage.seconds, 0.0);
  }
  EXPECT_EQ(iterations, report.iterations);
}

/// With a part of the table it is that part alone.
TEST(Auto, RunsTheStagesThatItIsGiven) {
  const ContactProblem pile = random_pile(3, 9, coulomb(0.5));
  for (const AutoStage& stage : auto_stages()) {
    AutoSolver solver(SolverOptions(), {&stage, 1});
    const SolveReport report = solve_cold(solver, pile).report;
    const bool fits = stage.is_for(pile.rows(), false);
    ASSERT_EQ(report.stages.size(), fits ? 1u : 0u) << stage.name;
    EXPECT_EQ(fits ? report.stages.front().name : stage.name, stage.name);
  }
}

TEST(Auto, SweepsAPackingOfBallsToAsCoarseATolerance) {
  const ContactProblem balls = packing_of_balls(6);
  ASSERT_GT(balls.rows(), 2 * balls.v_free.size()) << "more contacts than hold each ball";
  SolverOptions coarse;
  coarse.tolerance = 1e-4;
  AutoSolver solver(coarse);
  const Outcome cold = solve_cold(solver, balls);
  ASSERT_EQ(cold.report.status, SolveStatus::converged) << cold.report.reason;
  const Outcome warm = solve_with(solver, balls, cold.solution.r);  // nor is a good guess improved by factorising
  EXPECT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
  EXPECT_EQ(warm.report.methods, std::vector<std::string>{"gauss-seidel"});
  EXPECT_EQ(solve_with(solver, balls, 1.1 * cold.solution.r).report.methods.front(), "gauss-seidel");
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
