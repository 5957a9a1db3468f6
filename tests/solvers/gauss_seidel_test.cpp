#include "cardhouse/solvers/gauss_seidel.h"

#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/contact/natural_map.h"
#include "contact/analytic_problems.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// Of the common residual, the default of the options.
constexpr double tolerance = 1e-8;

/// Sweeps are cheap.
SolverOptions many_sweeps() {
  SolverOptions options;
  options.max_iterations = 50000;
  return options;
}

class GaussSeidelOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(GaussSeidelOnAnalyticProblems, ConvergesInBothForms) {
  const SolvedProblem& solved = GetParam().solved;
  GaussSeidel solver{many_sweeps()};
  const ContactProblem second = with_explicit_delassus(solved.problem);
  for (const ContactProblem* problem : {&solved.problem, &second}) {
    const Outcome outcome = solve_cold(solver, *problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, tolerance);
  }
}

TEST_P(GaussSeidelOnAnalyticProblems, AcceptsTheSolutionWithoutWork) {
  const SolvedProblem& solved = GetParam().solved;
  GaussSeidel solver{SolverOptions()};
  const Outcome outcome = solve_with(solver, solved.problem, solved.r);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_EQ(outcome.report.iterations, 0);
}

/// One group is solved in one sweep: each has its exact solution.
TEST_P(GaussSeidelOnAnalyticProblems, NeedsOneSweepForOneGroup) {
  const SolvedProblem& solved = GetParam().solved;
  if (solved.problem.groups() != 1) return;
  GaussSeidel solver{SolverOptions()};
  EXPECT_LE(solve_cold(solver, solved.problem).report.iterations, 1);
}

INSTANTIATE_TEST_SUITE_P(Analytic, GaussSeidelOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

class GaussSeidelOnPiles : public ::testing::TestWithParam<unsigned> {
 protected:
  GaussSeidelOnPiles() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}

  ContactProblem pile(int boxes = 9) const {
    const Law laws[] = {coulomb(0.3), coulomb(0.8), elliptic(0.6, 0.2), polygonal(0.5)};
    return random_pile(GetParam(), boxes, laws[GetParam() % 4]);
  }

 private:
  ::testing::ScopedTrace trace_;
};

TEST_P(GaussSeidelOnPiles, ConvergesInBothForms) {
  const ContactProblem problem = pile();
  GaussSeidel solver{many_sweeps()};
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, tolerance);
  }
}

/// The same sweeps on the same numbers, which the two forms add up in different orders. Of one island, so that the
/// residual, which decides what is kept, has the same scale in both.
TEST_P(GaussSeidelOnPiles, SweepsAlikeInBothForms) {
  ContactProblem problem = box_stack(4).problem;
  Random random(GetParam());
  problem.v_free += 5e-3 * random.vector(static_cast<int>(problem.v_free.size()));
  SolverOptions options;
  options.max_iterations = 10;
  GaussSeidel solver{options};
  const Outcome first = solve_cold(solver, problem);
  const Outcome second = solve_cold(solver, with_explicit_delassus(problem));
  // Ten sweeps of round-off.
  EXPECT_LE((first.solution.r - second.solution.r).norm(), 1e-10 * first.solution.r.norm());
  EXPECT_NEAR(first.residual, second.residual, 1e-10);
}

TEST_P(GaussSeidelOnPiles, ReachesTheToleranceItIsAskedForInEitherMeasure) {
  const ContactProblem problem = pile(6);
  for (double wanted : {1e-3, 1e-6, 1e-10}) {
    SolverOptions options = many_sweeps();
    options.tolerance = wanted;
    GaussSeidel solver(options);
    EXPECT_LE(solve_cold(solver, problem).residual, wanted);
    options.measure = SolverOptions::Measure::natural_map;
    GaussSeidel by_natural_map(options);
    const Outcome outcome = solve_cold(by_natural_map, problem);
    EXPECT_LE(natural_map_error(problem, outcome.solution.r).scaled, wanted);
  }
}

TEST_P(GaussSeidelOnPiles, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = pile();
  GaussSeidel solver{SolverOptions()};
  const Outcome first = solve_cold(solver, problem);
  solve_cold(solver, with_explicit_delassus(box_stack(4).problem));
  const Outcome again = solve_cold(solver, problem);
  EXPECT_EQ(again.solution.r, first.solution.r);
  EXPECT_EQ(again.solution.v, first.solution.v);
  EXPECT_EQ(again.report.residual_history, first.report.residual_history);
}

TEST_P(GaussSeidelOnPiles, WhenSweepsRunOutKeepsTheBestAndSaysSo) {
  const ContactProblem problem = pile();
  for (int sweeps : {1, 2, 5}) {
    SolverOptions options;
    options.max_iterations = sweeps;
    GaussSeidel solver(options);
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_EQ(outcome.report.iterations, sweeps);
    EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
    EXPECT_NE(outcome.report.reason.find("above the tolerance"), std::string::npos) << outcome.report.reason;
    VecX v;
    velocity_from_impulses(problem, outcome.solution.r, v);
    EXPECT_EQ(outcome.solution.v, v);
  }
}

/// The next step of a pile is nearly the last one.
TEST_P(GaussSeidelOnPiles, NeedsFewerSweepsFromANearbySolution) {
  ContactProblem problem = pile();
  GaussSeidel solver{many_sweeps()};
  const Outcome before = solve_cold(solver, problem);
  problem.v_free *= 1.0 + 1e-5;
  const Outcome warm = solve_with(solver, problem, before.solution.r);
  const Outcome cold = solve_cold(solver, problem);
  EXPECT_EQ(warm.report.status, SolveStatus::converged) << warm.report.reason;
  EXPECT_LT(warm.report.iterations, cold.report.iterations);
}

/// The same with each entry of W changed by about a thousandth: the W of a file need not be symmetric, and the residual
/// is that of the W given.
ContactProblem unsymmetric(const ContactProblem& problem, unsigned seed) {
  ContactProblem result = with_explicit_delassus(problem);
  Random random(seed);
  MatX w = result.delassus->w;
  w.array() *= 1.0 + 1e-3 * random.matrix(static_cast<int>(w.rows()), static_cast<int>(w.cols())).array();
  result.delassus->w = w.sparseView();
  return result;
}

TEST_P(GaussSeidelOnPiles, SolvesWithASlightlyUnsymmetricW) {
  Random random(GetParam());
  GaussSeidel solver{many_sweeps()};
  const Outcome outcome = solve_cold(solver, unsymmetric(random_problem(random, 8, 12), GetParam()));
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, tolerance);
}

/// Contacts of piles are redundant. Directions that had no stiffness get a little of either sign, along which sweeps
/// creep; what is left after a thousand sweeps is below the change of W.
TEST_P(GaussSeidelOnPiles, ComesNearWithAnUnsymmetricWOfRedundantContacts) {
  GaussSeidel solver{SolverOptions()};
  EXPECT_LE(solve_cold(solver, unsymmetric(pile(6), GetParam())).residual, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GaussSeidelOnPiles, ::testing::Range(1u, 13u));

/// Contacts of every kind, joints and bounded rows at random; rows fewer than degrees of freedom, so that joints can
/// hold.
TEST(GaussSeidel, SolvesContactsJointsAndBoundedRowsTogether) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const ContactProblem problem = random_problem(random, 8, 12);
    GaussSeidel solver{many_sweeps()};
    for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
      const Outcome outcome = solve_cold(solver, form);
      EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
      EXPECT_LE(outcome.residual, tolerance);
    }
  }
}

/// Weight passes down a stack by one box per sweep at best, and where a heavy box rests on light ones only a small part
/// of it does: plain sweeps creep, accelerated ones do not.
TEST(GaussSeidel, HoldsAHeavyTopByAcceleration) {
  const ContactProblem problem = box_stack(4, 100.0).problem;
  GaussSeidelOptions own;
  own.anderson_depth = 0;
  GaussSeidel plain(SolverOptions(), own);
  EXPECT_EQ(solve_cold(plain, problem).report.status, SolveStatus::iteration_limit);
  GaussSeidel accelerated{SolverOptions()};
  const Outcome outcome = solve_cold(accelerated, problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, tolerance);
}

/// Sweeps that would take too long are given up before they have used all that they were allowed.
TEST(GaussSeidel, GivesUpWhereItsRateGivesNoHope) {
  const ContactProblem pile = random_pile(3, 18, coulomb(0.5));
  SolverOptions options;
  options.max_iterations = 100000;
  GaussSeidelOptions own;
  own.hope_after = 10;
  own.sweeps_per_group = 0.1;
  GaussSeidel hopeless(options, own);
  const Outcome outcome = solve_cold(hopeless, pile);
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_LE(outcome.report.iterations, 100);
  own.sweeps_per_group = 1000.0;
  GaussSeidel hopeful(options, own);
  EXPECT_EQ(solve_cold(hopeful, pile).report.status, SolveStatus::converged);
}

}  // namespace
}  // namespace cardhouse::testing
