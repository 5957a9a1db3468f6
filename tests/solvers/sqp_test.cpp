#include "cardhouse/solvers/sqp.h"

#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/optimization/lemke.h"
#include "cardhouse/solvers/lemke.h"
#include "contact/analytic_problems.h"
#include "contact/pyramid.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// Of the common residual, the default of the options.
constexpr double kSqpTolerance = 1e-8;

Lcp lcp_of(const ContactProblem& problem) {
  Certifier certifier;
  certifier(problem, VecX::Zero(problem.rows()));
  return FreeElimination(polygonal_lcp(problem, certifier.rho(), 8).mixed).reduced();
}

bool ended_at_a_stationary_point(const Outcome& outcome) {
  return outcome.report.status == SolveStatus::iteration_limit &&
         outcome.report.reason.find("stationary point: objective") == 0;
}

TEST(ComplementarityProgram, HasTheDerivativesThatDifferencesGive) {
  for (unsigned seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Lcp lcp = lcp_of(random_pile(seed, 2, polygonal(0.5, 4)));
    const NonlinearProgram program = complementarity_program(lcp);
    Random random(seed);
    const int n = lcp.size();
    const VecX y = random.vector(n);
    VecX gradient(n), c(n), above(n), below(n);
    MatX jacobian(n, n);
    const double value = program.objective(y, &gradient);
    EXPECT_EQ(value, program.objective(y, nullptr));
    program.constrain(y, c, &jacobian);
    constexpr double step = 1e-3;  // exact for quadratics but for round-off: values of up to 1e3, 1e-13 of them / step
    for (int i = 0; i < n; ++i) {
      const VecX change = step * VecX::Unit(n, i);
      const double slope =
          (program.objective(y + change, nullptr) - program.objective(y - change, nullptr)) / (2 * step);
      EXPECT_NEAR(gradient[i], slope, 1e-8);
      program.constrain(y + change, above, nullptr);
      program.constrain(y - change, below, nullptr);
      EXPECT_LE((jacobian.col(i) - (above - below) / (2 * step)).norm(), 1e-8);
    }
  }
}

class SqpOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

/// Small problems at low friction hold no traps, in either form.
TEST_P(SqpOnAnalyticProblems, SolvesBothFormsOrSaysThatRoundFrictionBecamePolygons) {
  const auto& [problem, r] = GetParam().solved;
  Sqp solver{SolverOptions()};
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    if (outcome.report.status == SolveStatus::converged) {
      EXPECT_LE(outcome.residual, kSqpTolerance);
      EXPECT_TRUE(outcome.report.reason.empty());
    } else {
      EXPECT_EQ(problem.j.group(0).dim, 3);
      EXPECT_NE(problem.laws[0].friction, FrictionShape::polygon);
      EXPECT_NE(outcome.report.reason.find("polygons of 8 sides"), std::string::npos) << outcome.report.reason;
      EXPECT_LE(outcome.residual, 0.1);  // of sliding within half a side, pi/8, of the right direction
    }
    EXPECT_EQ(outcome.report.iterations, static_cast<int>(outcome.report.residual_history.size()));
  }
}

TEST_P(SqpOnAnalyticProblems, AcceptsTheSolutionWithoutWork) {
  const auto& [problem, r] = GetParam().solved;
  Sqp solver{SolverOptions()};
  const Outcome outcome = solve_with(solver, problem, r);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  EXPECT_EQ(outcome.report.iterations, 0);
}

INSTANTIATE_TEST_SUITE_P(Analytic, SqpOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

/// Kaufman 2009, sections 5.6.3 and 5.7.3: descent ends at points that solve nothing, more often with more friction,
/// where pivoting finds solutions.
TEST(Sqp, EndsAtStationaryPointsWherePivotingFindsSolutions) {
  int stuck[2] = {0, 0};
  constexpr unsigned seeds = 40;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    for (int high : {0, 1}) {
      const ContactProblem problem = planar_pile(seed, 3, high ? 1.5 : 0.3);
      Sqp solver{SolverOptions()};
      const Outcome outcome = solve_cold(solver, problem);
      EXPECT_TRUE(outcome.report.status == SolveStatus::converged || ended_at_a_stationary_point(outcome))
          << outcome.report.reason;
      EXPECT_EQ(outcome.report.status == SolveStatus::converged, outcome.residual <= kSqpTolerance);
      if (outcome.report.status == SolveStatus::converged) continue;
      ++stuck[high];
      Lemke pivoting{SolverOptions()};
      EXPECT_EQ(solve_cold(pivoting, problem).report.status, SolveStatus::converged);
    }
  }
  EXPECT_GT(stuck[1], stuck[0]);
  EXPECT_GE(stuck[1], static_cast<int>(seeds) / 10);
}

/// The least ‖∇f − Mᵀγ − η‖ over multipliers γ, η ≥ 0 of the constraints and bounds that bind (Eq. 5.33): nonnegative
/// least squares, as an LCP.
double distance_from_stationarity(const Lcp& lcp, const VecX& y) {
  constexpr double binding = 1e-6;  // of q's size, 1
  VecX gradient;
  complementarity_gap(lcp, y, &gradient);
  const VecX w = lcp.m * y + lcp.q;
  const int n = lcp.size();
  const MatX m = lcp.m;
  MatX columns(n, 2 * n);
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (w[i] < binding) columns.col(count++) = m.row(i).transpose();
    if (y[i] < binding) columns.col(count++) = VecX::Unit(n, i);
  }
  const MatX a = columns.leftCols(count);
  const LemkeResult multipliers = solve_lemke({a.transpose() * a, -a.transpose() * gradient});
  if (multipliers.status != LemkeStatus::solved) return std::numeric_limits<double>::infinity();
  return (gradient - a * multipliers.z).norm() / gradient.norm();
}

TEST(Sqp, ReallyEndsAtPointsOfTheFirstOrder) {
  int stuck = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Lcp lcp = lcp_of(planar_pile(seed, 3, 1.5));
    lcp.q /= lcp.q.cwiseAbs().maxCoeff();
    const SlsqpResult result = minimise_slsqp(complementarity_program(lcp), VecX::Zero(lcp.size()));
    ASSERT_EQ(result.status, SlsqpStatus::stationary) << result.reason;
    if (result.objective < 1e-6) continue;
    ++stuck;
    // Round-off, with room for ill conditioned multipliers.
    EXPECT_LE(distance_from_stationarity(lcp, result.x), 1e-8) << "objective " << result.objective;
  }
  EXPECT_GT(stuck, 0);
}

TEST(Sqp, SolvesContactsJointsStopsAndMotorsTogether) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    ContactProblem problem = random_problem(random, 6, 12);
    for (Law& law : problem.laws) {
      if (law.kind == Law::Kind::coulomb) law = polygonal(0.3, 4);
    }
    Sqp solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_TRUE(outcome.report.status == SolveStatus::converged || ended_at_a_stationary_point(outcome))
        << outcome.report.reason;
    EXPECT_EQ(outcome.report.status == SolveStatus::converged, outcome.residual <= kSqpTolerance);
  }
}

TEST(Sqp, FindsASolutionOfTheHexagonalPyramid) {
  Sqp solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, hexagonal_pyramid(0.5));
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
}

TEST(Sqp, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = planar_pile(7, 3, 0.8);
  Sqp solver{SolverOptions()};
  const Outcome first = solve_cold(solver, problem);
  solve_cold(solver, sliding_box(0.6).problem);
  const Outcome again = solve_cold(solver, problem);
  EXPECT_EQ(again.solution.r, first.solution.r);
  EXPECT_EQ(again.report.residual_history, first.report.residual_history);
}

/// One particle between a floor that rises and a ceiling that falls: the program has no feasible point.
TEST(Sqp, DoesNotCallAContradictionSolved) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(1, 1), VecX::Zero(1));
  const MatX up = MatX::Identity(1, 1);
  builder.rows(of_kind(Law::Kind::unilateral), {{0, up}}, VecX::Constant(1, -1.0));
  builder.rows(of_kind(Law::Kind::unilateral), {{0, -up}}, VecX::Constant(1, -1.0));
  Sqp solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::infeasible) << outcome.report.reason;
  EXPECT_FALSE(outcome.report.reason.empty());
}

TEST(Sqp, KeepsToItsLimits) {
  const ContactProblem problem = random_pile(1, 3, polygonal(0.3, 4));
  SolverOptions options;
  options.max_iterations = 3;
  Sqp impatient(options);
  const Outcome limited = solve_cold(impatient, problem);
  EXPECT_EQ(limited.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 3);
  EXPECT_NE(limited.report.reason.find("3 evaluations"), std::string::npos) << limited.report.reason;
  options = {};
  options.max_seconds = 1e-9;
  Sqp hurried(options);
  EXPECT_EQ(solve_cold(hurried, problem).report.status, SolveStatus::time_limit);
  SqpOptions own;
  own.max_unknowns = 10;
  Sqp small(SolverOptions(), own);
  const Outcome refused = solve_cold(small, problem);
  EXPECT_EQ(refused.report.status, SolveStatus::unsupported);
  EXPECT_NE(refused.report.reason.find("72 unknowns"), std::string::npos) << refused.report.reason;
}

}  // namespace
}  // namespace cardhouse::testing
