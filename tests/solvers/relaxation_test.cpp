#include <gtest/gtest.h>

#include "cardhouse/solvers/auto_solver.h"
#include "cardhouse/solvers/convex_relaxation.h"
#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/successive_relaxation.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// The two methods for the cone program.
class RelaxedLaw : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Solver> solver() const { return make_solver(GetParam(), {}); }
};

/// Mass 1, 3 m/s along the floor and 1 m/s into it: what slides opens at mu times its speed.
TEST_P(RelaxedLaw, LetsASlidingParticleOpenAtMuTimesItsSpeed) {
  for (const Law& law : {coulomb(0.25), polygonal(0.25), elliptic(0.25, 0.1)}) {
    ProblemBuilder builder;
    builder.body(MatX::Identity(3, 3), Vec3(-1, 3, 0));
    builder.rows(law, {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));
    for (const ContactProblem& problem : {builder.problem, with_explicit_delassus(builder.problem)}) {
      const Outcome outcome = solve_cold(*solver(), problem);
      VecX v, u;
      contact_velocity(problem, outcome.solution.r, v, u);
      EXPECT_NEAR(u[0], 0.25 * u[1], 1e-9);
      EXPECT_GT(u[1], 1.0);
      EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
      EXPECT_NE(outcome.report.reason.find("relaxed"), std::string::npos) << outcome.report.reason;
      EXPECT_GT(outcome.residual, 0.01);
    }
  }
}

/// It leaves the floor at 0.1 m/s and slides at 3: free motion obeys Coulomb's law, but not the relaxed one.
TEST_P(RelaxedLaw, HoldsOnToWhatLeavesMoreSlowlyThanMuTimesItsSliding) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(3, 3), Vec3(0.1, 3, 0));
  builder.rows(coulomb(0.25), {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));
  const Outcome outcome = solve_cold(*solver(), builder.problem);
  EXPECT_GT(outcome.solution.r[0], 0.1);
  EXPECT_NEAR(outcome.solution.v[0], 0.25 * outcome.solution.v[1], 1e-9);
  EXPECT_GT(outcome.residual, 0.01);
}

TEST_P(RelaxedLaw, IsCoulombsWhereNothingSlides) {
  const Outcome outcome = solve_cold(*solver(), box_stack(5).problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, 1e-8);
}

TEST_P(RelaxedLaw, KeepsItsOwnAnswerEvenWhenTheGuessIsCoulombs) {
  const SolvedProblem sliding = sliding_box(0.6);
  EXPECT_GT(solve_with(*solver(), sliding.problem, sliding.r).residual, 0.01);
}

/// Joints, stops, motors with bounds and contacts together, of every friction set.
TEST_P(RelaxedLaw, HasNoGapButThatOfSlidingBesideJointsAndMotors) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    ContactProblem problem = random_problem(random, 6, 12);
    const Law laws[] = {coulomb(0.3), polygonal(0.5), elliptic(0.6, 0.2)};
    for (Law& law : problem.laws) {
      if (law.kind == Law::Kind::coulomb) law = laws[seed % 3];
    }
    for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
      const Outcome outcome = solve_cold(*solver(), form);
      Certifier certifier;
      certifier(form, outcome.solution.r);
      const double error = relaxed_error(form, certifier.rho(), outcome.solution.r, certifier.u());
      EXPECT_LE(error, 1e-8 * certifier.scale()) << outcome.report.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RelaxedLaw, ::testing::Values("convex-relaxation", "interior-point:law=relaxed"),
                         [](const auto& test) { return test.param[0] == 'c' ? "ConvexRelaxation" : "InteriorPoint"; });

/// A particle between two walls, one moving up and one moving down: both contacts slide whatever it does, and no motion
/// opens both. Coulomb's law has an answer.
TEST(Relaxations, DoNotCallAProblemInfeasibleThatTheyOnlyRelaxTooMuch) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2(-1, 0));
  builder.rows(coulomb(0.5), {{0, MatX::Identity(2, 2)}}, Vec2(0, 1));
  builder.rows(coulomb(0.5), {{0, -MatX::Identity(2, 2)}}, Vec2(0, 1));
  ConvexRelaxation relaxed{SolverOptions()};
  SuccessiveRelaxation successive{SolverOptions()};
  InteriorPointOptions cone_program;
  cone_program.relaxed = true;
  InteriorPoint interior{SolverOptions(), cone_program};
  for (Solver* solver : std::initializer_list<Solver*>{&relaxed, &interior, &successive}) {
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

/// A heavy ball that slides on the far end of a light stick, radius of gyration k, end at (x, y) = 10 k (1, 1) from it:
/// W = (1/m) [101 −100; −100 101] nearly couples the normal with the tangent. Without acceleration s ↦ mu |u_T(s)| has
/// the slope (mu² W_TT − mu b)/(W_NN − 2 mu b + mu² W_TT) with b = |W_NT| there, which is −2 at mu = 0.7: each step
/// leads twice as far from Coulomb's answer.
ContactProblem ball_on_a_stick() {
  ProblemBuilder builder;
  builder.body(planar_mass(1.0, 0.01), Vec3(-1.0, -0.1, 0.0));
  builder.rows(coulomb(0.7), {{0, planar_rows(Vec2::UnitY(), Vec2(-1.0, -1.0))}}, VecX::Zero(2));
  return builder.problem;
}

TEST(SuccessiveRelaxation, SaysThatItDivergesWhereTheAnswerRepelsIt) {
  const ContactProblem problem = ball_on_a_stick();
  SuccessiveRelaxation quick{SolverOptions()};
  const Outcome exact = solve_cold(quick, problem);
  ASSERT_EQ(exact.report.status, SolveStatus::converged) << "acceleration makes up for it: " << exact.report.reason;

  SuccessiveRelaxationOptions plain;
  plain.anderson_depth = 0;
  SuccessiveRelaxation solver{SolverOptions(), plain};
  for (const double off : {1e-4, 1.0}) {  // from nearby, and from no impulses
    SCOPED_TRACE(::testing::Message() << "off by " << off);
    const Outcome outcome = solve_with(solver, problem, (1.0 - off) * exact.solution.r);
    EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
    EXPECT_EQ(outcome.report.reason.find("the fixed point diverges: in 60 iterations"), 0u) << outcome.report.reason;
    EXPECT_LE(outcome.report.iterations, 100) << "it gives up long before its limit";
    const std::vector<double>& history = outcome.report.residual_history;
    EXPECT_GE(history.back(), 0.9 * history.front());
    EXPECT_LE(outcome.residual, *std::min_element(history.begin(), history.end())) << "the best answer is kept";
  }
}

/// Slow is not divergent: the residual falls by a few percent each time.
TEST(SuccessiveRelaxation, DoesNotCallDivergentWhatIsOnlyCutShort) {
  SolverOptions options;
  options.max_iterations = 3;
  SuccessiveRelaxation solver{options};
  const Outcome outcome = solve_cold(solver, random_pile(2, 5, coulomb(0.5)));
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(outcome.report.reason.find("diverges"), std::string::npos) << outcome.report.reason;
}

}  // namespace
}  // namespace cardhouse::testing
