#include "cardhouse/solvers/interior_point.h"

#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/contact/natural_map.h"
#include "cardhouse/solvers/auto_solver.h"
#include "contact/analytic_problems.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// Of the common residual, the default of the options.
constexpr double path_tolerance = 1e-8;

class InteriorPointOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(InteriorPointOnAnalyticProblems, FindsTheVelocitiesInBothForms) {
  const SolvedProblem& solved = GetParam().solved;
  InteriorPoint solver{SolverOptions()};
  const ContactProblem second = with_explicit_delassus(solved.problem);
  for (const ContactProblem* problem : {&solved.problem, &second}) {
    const Outcome outcome = solve_cold(solver, *problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, path_tolerance);
  }
}

TEST_P(InteriorPointOnAnalyticProblems, AcceptsTheSolutionWithoutWork) {
  const SolvedProblem& solved = GetParam().solved;
  InteriorPoint solver{SolverOptions()};
  const Outcome outcome = solve_with(solver, solved.problem, solved.r);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.report.iterations, 2);
}

INSTANTIATE_TEST_SUITE_P(Analytic, InteriorPointOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

class InteriorPointOnPiles : public ::testing::TestWithParam<unsigned> {
 protected:
  InteriorPointOnPiles() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}

  ContactProblem pile(int boxes = 9) const {
    const Law laws[] = {coulomb(0.3), coulomb(0.8), elliptic(0.6, 0.2), polygonal(0.5)};
    return random_pile(GetParam(), boxes, laws[GetParam() % 4]);
  }

 private:
  ::testing::ScopedTrace trace_;
};

TEST_P(InteriorPointOnPiles, ConvergesInBothForms) {
  const ContactProblem problem = pile();
  InteriorPoint solver{SolverOptions()};
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, path_tolerance);
    EXPECT_EQ(outcome.report.iterations, static_cast<int>(outcome.report.residual_history.size()));
  }
}

TEST_P(InteriorPointOnPiles, ReachesTheToleranceItIsAskedForInEitherMeasure) {
  const ContactProblem problem = pile(6);
  for (double wanted : {1e-3, 1e-6, 1e-10}) {
    SolverOptions options;
    options.tolerance = wanted;
    InteriorPoint solver(options);
    EXPECT_LE(solve_cold(solver, problem).residual, wanted);
    options.measure = SolverOptions::Measure::natural_map;
    InteriorPoint by_natural_map(options);
    const Outcome outcome = solve_cold(by_natural_map, problem);
    EXPECT_LE(natural_map_error(problem, outcome.solution.r).scaled, wanted);
  }
}

TEST_P(InteriorPointOnPiles, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = pile();
  AutoSolver solver{SolverOptions()};
  const Outcome first = solve_cold(solver, problem);
  const SolvedProblem other = box_stack(4);
  solve_cold(solver, other.problem);
  const Outcome again = solve_cold(solver, problem);
  EXPECT_EQ(again.solution.r, first.solution.r);
  EXPECT_EQ(again.solution.v, first.solution.v);
  EXPECT_EQ(again.report.residual_history, first.report.residual_history);
}

TEST_P(InteriorPointOnPiles, WhenIterationsRunOutKeepsTheBestAndSaysSo) {
  const ContactProblem problem = pile();
  SolverOptions options;
  options.max_iterations = 3;
  InteriorPoint solver(options);
  const Outcome outcome = solve_cold(solver, problem);
  EXPECT_LE(outcome.report.iterations, 3);
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_NE(outcome.report.reason.find("above the tolerance"), std::string::npos) << outcome.report.reason;
  VecX v;
  velocity_from_impulses(problem, outcome.solution.r, v);
  EXPECT_EQ(outcome.solution.v, v);
}

INSTANTIATE_TEST_SUITE_P(Seeds, InteriorPointOnPiles, ::testing::Range(1u, 13u));

TEST(InteriorPoint, HoldsTallStacksWithHeavyTops) {
  for (double ratio : {1e-3, 1.0, 1e3}) {
    SCOPED_TRACE(ratio);
    InteriorPoint solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, box_stack(20, ratio).problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, path_tolerance);
  }
}

/// The W of a file need not be symmetric; the residual is that of the W given.
TEST(InteriorPoint, SolvesWithASlightlyUnsymmetricW) {
  ContactProblem problem = with_explicit_delassus(random_pile(3, 6, coulomb(0.4)));
  Random random(3);
  MatX w = problem.delassus->w;
  w.array() *= 1.0 + 1e-3 * random.matrix(static_cast<int>(w.rows()), static_cast<int>(w.cols())).array();
  problem.delassus->w = w.sparseView();
  InteriorPoint solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, path_tolerance);
}

TEST(AutoSolver, NamesTheRowsOfAnInfeasibleProblem) {
  // One particle between a floor that rises and a ceiling that falls.
  ProblemBuilder builder;
  const int particle = builder.body(MatX::Identity(3, 3), VecX::Zero(3));
  MatX up = MatX::Zero(1, 3);
  up(0, 2) = 1.0;
  builder.rows(of_kind(Law::Kind::unilateral), {{particle, up}}, VecX::Constant(1, -1.0));
  builder.rows(of_kind(Law::Kind::unilateral), {{particle, -up}}, VecX::Constant(1, -1.0));
  AutoSolver solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::infeasible) << outcome.report.reason;
  EXPECT_EQ(outcome.report.conflicting_rows, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace cardhouse::testing
