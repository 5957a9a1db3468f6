#include "cardhouse/solvers/newton.h"

#include <gtest/gtest.h>

#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

class NewtonOnPiles : public ::testing::TestWithParam<unsigned> {
 protected:
  NewtonOnPiles() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}

  ContactProblem pile() const {
    const Law laws[] = {coulomb(0.3), coulomb(0.8), elliptic(0.6, 0.2)};
    return random_pile(GetParam(), 6, laws[GetParam() % 3]);
  }
  static Newton with(LawEquation equation) {
    NewtonOptions own;
    own.equation = equation;
    return Newton{SolverOptions(), own};
  }

 private:
  ::testing::ScopedTrace trace_;
};

TEST_P(NewtonOnPiles, ConvergesWithEitherFunctionInBothForms) {
  const ContactProblem problem = pile();
  for (const LawEquation equation : {alart_curnier, fischer_burmeister}) {
    Newton solver = with(equation);
    for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
      const Outcome outcome = solve_cold(solver, form);
      EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
      EXPECT_LE(outcome.residual, 1e-8);
      EXPECT_EQ(outcome.report.iterations, static_cast<int>(outcome.report.residual_history.size()));
    }
  }
}

TEST_P(NewtonOnPiles, NeedsFewStepsFromANearbyGuess) {
  const ContactProblem problem = pile();
  Newton solver = with(alart_curnier);
  const Outcome cold = solve_cold(solver, problem);
  const Outcome warm = solve_with(solver, problem, (1.0 + 1e-6) * cold.solution.r);
  EXPECT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
  EXPECT_LE(warm.report.iterations, 6);
  EXPECT_LT(warm.report.iterations, cold.report.iterations);
}

TEST_P(NewtonOnPiles, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = pile();
  Newton solver = with(alart_curnier);
  const Outcome first = solve_cold(solver, problem);
  solve_cold(solver, box_stack(4).problem);
  EXPECT_EQ(solve_cold(solver, problem).solution.r, first.solution.r);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NewtonOnPiles, ::testing::Range(1u, 10u));

TEST(Newton, SaysThatFischerAndBurmeisterNeedRoundCones) {
  NewtonOptions own;
  own.equation = fischer_burmeister;
  Newton solver{SolverOptions(), own};
  const Outcome outcome = solve_cold(solver, box_stack(2, 1.0, polygonal(0.4)).problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::unsupported);
  EXPECT_NE(outcome.report.reason.find("round cones"), std::string::npos);
}

}  // namespace
}  // namespace cardhouse::testing
