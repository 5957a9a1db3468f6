#include "cardhouse/solvers/planar_path.h"

#include <gtest/gtest.h>

#include <limits>

#include "contact/analytic_problems.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// Of the common residual, the default of the options.
constexpr double tolerance = 1e-8;

class PlanarPathOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(PlanarPathOnAnalyticProblems, SolvesPlanarOnesInBothFormsAndRefusesTheOthers) {
  const ContactProblem& problem = GetParam().solved.problem;
  PlanarPath solver{SolverOptions()};
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    const bool nothing_to_do = outcome.residual == 0.0;
    if (is_planar(form) || nothing_to_do) {
      EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
      EXPECT_LE(outcome.residual, tolerance);
    } else {
      EXPECT_EQ(outcome.report.status, SolveStatus::unsupported);
      EXPECT_NE(outcome.report.reason.find("in space"), std::string::npos);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PlanarPathOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

class PlanarPathOnPiles : public ::testing::TestWithParam<unsigned> {};

/// Blocks at mu up to 2: Lemke's path ends in an answer for any friction.
TEST_P(PlanarPathOnPiles, EndsInAnAnswer) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  for (const double mu : {0.0, 0.2, 0.8, 2.0}) {
    const ContactProblem problem = planar_pile(GetParam(), 12, mu);
    PlanarPath solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << "mu " << mu << ": " << outcome.report.reason;
    EXPECT_LE(outcome.residual, tolerance) << "mu " << mu;
    EXPECT_GT(outcome.report.inner_iterations, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlanarPathOnPiles, ::testing::Range(1u, 21u));

TEST(PlanarPath, HoldsRowsWithinTheirBounds) {
  // Three carts on a line: a motor that is too weak, one that is strong enough, one that only brakes.
  ProblemBuilder builder;
  const double lower[] = {-0.5, -5.0, 0.0};
  const double upper[] = {0.5, 5.0, std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 3; ++i) {
    builder.body(MatX::Identity(1, 1), VecX::Constant(1, i == 2 ? 1.0 : -1.0));
    Law law = of_kind(Law::Kind::bounded);
    law.lower = lower[i];
    law.upper = upper[i];
    builder.rows(law, {{i, MatX::Ones(1, 1)}}, VecX::Zero(1));
  }
  PlanarPath solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, builder.problem);
  EXPECT_LE(outcome.residual, tolerance) << outcome.report.reason;
  EXPECT_NEAR(outcome.solution.r[0], 0.5, 1e-9) << "at its bound";
  EXPECT_NEAR(outcome.solution.r[1], 1.0, 1e-7) << "stopped";
  EXPECT_NEAR(outcome.solution.r[2], 0.0, 1e-9) << "left alone";
}

TEST(PlanarPath, CountsWalksAndChangesApart) {
  const ContactProblem problem = planar_pile(3, 12, 0.5);
  PlanarPath solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, problem);
  EXPECT_EQ(outcome.report.iterations, static_cast<int>(outcome.report.residual_history.size()));
  EXPECT_GT(outcome.report.inner_iterations, outcome.report.iterations);
  EXPECT_EQ(outcome.report.methods, std::vector<std::string>{"planar-path"});
}

TEST(PlanarPath, SaysSoWhenThePathIsGivenUp) {
  PlanarPathOptions hurried;
  hurried.most_changes = 0;
  PlanarPath solver{SolverOptions(), hurried};
  const Outcome outcome = solve_cold(solver, planar_pile(3, 12, 0.5));
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_NE(outcome.report.reason.find("without coming to its end"), std::string::npos) << outcome.report.reason;
}

}  // namespace
}  // namespace cardhouse::testing
