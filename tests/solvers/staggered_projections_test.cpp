#include "cardhouse/solvers/staggered_projections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cardhouse/contact/law_projection.h"
#include "contact/analytic_problems.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Of the common residual, the default of the options.
constexpr double kStaggeredTolerance = 1e-8;

Outcome solve(const ContactProblem& problem, const SolverOptions& options = {}) {
  StaggeredProjections solver(options);
  return solve_with(solver, problem, VecX::Zero(problem.rows()));
}

/// What a report may say must be what the certificate finds.
void expect_honest(const Outcome& outcome, double tolerance = kStaggeredTolerance) {
  EXPECT_EQ(outcome.report.status == SolveStatus::converged, outcome.residual <= tolerance)
      << status_name(outcome.report.status) << " with residual " << outcome.residual;
  EXPECT_EQ(outcome.report.reason.empty(), outcome.report.status == SolveStatus::converged);
  const std::vector<double>& history = outcome.report.residual_history;
  ASSERT_EQ(static_cast<int>(history.size()), outcome.report.iterations);
  ASSERT_FALSE(history.empty());
  EXPECT_EQ(outcome.residual, *std::min_element(history.begin(), history.end())) << "the best iterate is kept";
}

/// The largest share of the residual that normal and joint rows have alone.
double normal_residual(const ContactProblem& problem, const VecX& r) {
  Certifier certifier;
  certifier(problem, r);
  double worst = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double rho = certifier.rho()[g];
    for (int i = 0; i < normal_rows(problem.laws[g], rows.dim); ++i) {
      const double ri = r[rows.row + i];
      const double z = ri - rho * certifier.u()[rows.row + i];
      double p = 0.0;
      project(normal_set(problem.laws[g]), 1, &z, &p);
      worst = std::max(worst, std::abs(ri - p) / std::sqrt(rho) / certifier.scale());
    }
  }
  return worst;
}

class StaggeredOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(StaggeredOnAnalyticProblems, FindsTheSolution) {
  const auto& [problem, r] = GetParam().solved;
  const Outcome outcome = solve(problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  expect_honest(outcome);
  VecX expected;
  velocity_from_impulses(problem, r, expected);
  // Velocities are unique here. A residual of 1e-8 of the scale, times the conditioning of stacks of up to 1e3.
  const double speed = problem.v_free.cwiseAbs().maxCoeff();
  EXPECT_LE((outcome.solution.v - expected).cwiseAbs().maxCoeff(), 1e-5 * speed);
  VecX recomputed;
  velocity_from_impulses(problem, outcome.solution.r, recomputed);
  EXPECT_EQ(outcome.solution.v, recomputed) << "v belongs to r";
}

TEST_P(StaggeredOnAnalyticProblems, FindsTheSolutionWithoutAcceleration) {
  const auto& [problem, r] = GetParam().solved;
  StaggeredProjectionsOptions plain;
  plain.anderson_depth = 0;
  StaggeredProjections solver({}, plain);
  const Outcome outcome = solve_with(solver, problem, VecX::Zero(problem.rows()));
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.residual;
  expect_honest(outcome);
}

TEST_P(StaggeredOnAnalyticProblems, AcceptsTheSolutionInOneIteration) {
  const auto& [problem, r] = GetParam().solved;
  StaggeredProjections solver{SolverOptions()};
  const Outcome outcome = solve_with(solver, problem, r);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  EXPECT_EQ(outcome.report.iterations, 1);
  EXPECT_EQ(outcome.report.inner_iterations, 0);
  EXPECT_LE((outcome.solution.r - r).norm(), 1e-14 * r.norm());  // projected onto the sets once more
}

TEST_P(StaggeredOnAnalyticProblems, ForgetsAWrongGuess) {
  const auto& [problem, r] = GetParam().solved;
  Random random(5);
  StaggeredProjections solver{SolverOptions()};
  const VecX guess = 10.0 * (r.norm() + 1e-3) * random.vector(problem.rows());
  const Outcome outcome = solve_with(solver, problem, guess);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.residual;
  expect_honest(outcome);
}

INSTANTIATE_TEST_SUITE_P(Staggered, StaggeredOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

/// A particle of mass 1 sliding on a floor at a heading, pressed with 1 N s.
ContactProblem sliding_particle(const Law& law, double heading) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(3, 3), Vec3(-1.0, 3.0 * std::cos(heading), 3.0 * std::sin(heading)));
  builder.rows(law, {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));
  return builder.problem;
}

TEST(StaggeredProjections, WithTheDiskOpposesSlidingAtAnyHeading) {
  for (double heading = 0.0; heading < 6.28; heading += 0.1) {
    const Outcome outcome = solve(sliding_particle(coulomb(0.5), heading));
    const Vec3 expected(1.0, -0.5 * std::cos(heading), -0.5 * std::sin(heading));
    EXPECT_LE((outcome.solution.r - expected).norm(), 1e-7) << "heading " << heading;
  }
}

TEST(StaggeredProjections, WithPolygonsStaysWithinTheChordOfTheDisk) {
  // The vertex that dissipates most lies within one side of the direction of sliding.
  for (int sides : {4, 8, 16, 64, 256}) {
    double worst = 0.0;
    for (double heading = 0.03; heading < 6.28; heading += 0.37) {
      const Outcome outcome = solve(sliding_particle(polygonal(0.5, sides), heading));
      ASSERT_EQ(outcome.report.status, SolveStatus::converged) << sides << " sides, heading " << heading;
      const Vec3 disk(1.0, -0.5 * std::cos(heading), -0.5 * std::sin(heading));
      worst = std::max(worst, (outcome.solution.r - disk).norm());
    }
    EXPECT_LE(worst, 0.5 * 2.0 * std::sin(std::numbers::pi / sides)) << sides << " sides";
    EXPECT_GT(worst, 1e-3 / sides) << "a polygon is not the disk";
  }
}

TEST(StaggeredProjections, WithEqualAxesTheEllipseIsTheDisk) {
  const Outcome ellipse = solve(sliding_particle(elliptic(0.5, 0.5), 0.7));
  const Outcome disk = solve(sliding_particle(coulomb(0.5), 0.7));
  EXPECT_LE((ellipse.solution.r - disk.solution.r).norm(), 1e-7);
}

/// A particle on a floor (x, z), pressed with 1 N s and friction 0.5, driven along x by a motor of limited strength
/// that wants speed 2, with a stop that forbids x-velocities above `stop`.
ContactProblem driven_particle(double strength, double stop) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2(0.0, -1.0));
  const MatX x = Vec2(1, 0).transpose();
  builder.rows(coulomb(0.5), {{0, (MatX(2, 2) << 0, 1, 1, 0).finished()}}, VecX::Zero(2));
  builder.rows(bounded(-strength, strength), {{0, x}}, VecX::Constant(1, -2.0));
  builder.rows(of_kind(Law::Kind::unilateral), {{0, -x}}, VecX::Constant(1, stop));
  return builder.problem;
}

TEST(StaggeredProjections, SolvesMotorsAndStopsTogetherWithContacts) {
  const struct {
    double strength, stop, speed, friction, motor, stopping;
  } cases[] = {
      {0.3, 9.0, 0.0, -0.3, 0.3, 0.0},  // too weak: friction holds
      {1.5, 9.0, 1.0, -0.5, 1.5, 0.0},  // slides, the motor at its bound
      {9.0, 9.0, 2.0, -0.5, 2.5, 0.0},  // reaches its speed
      {9.0, 1.2, 1.2, -0.5, 9.0, 7.3},  // held back by the stop
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(::testing::Message() << "strength " << c.strength << ", stop " << c.stop);
    const Outcome outcome = solve(driven_particle(c.strength, c.stop));
    ASSERT_EQ(outcome.report.status, SolveStatus::converged);
    Eigen::Matrix<double, 4, 1> expected(1.0, c.friction, c.motor, c.stopping);
    EXPECT_LE((outcome.solution.r - expected).norm(), 1e-6);
    EXPECT_NEAR(outcome.solution.v[0], c.speed, 1e-6);
    expect_honest(outcome);
  }
}

TEST(StaggeredProjections, TakesEachRowOfABoundedGroupByItself) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(3, 3), Vec3(1.0, -1.0, 0.05));
  builder.rows(bounded(-0.1, 0.2), {{0, MatX::Identity(3, 3)}}, VecX::Zero(3));
  const Outcome outcome = solve(builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  EXPECT_LE((outcome.solution.r - Vec3(-0.1, 0.2, -0.05)).norm(), 1e-7);
}

TEST(StaggeredProjections, SolvesJointsTogetherWithContacts) {
  // A box hinged to a second one at its side; both rest on the floor, the second is pulled sideways.
  ProblemBuilder builder;
  builder.rigid(1.0, 0.2, Vec3(0, 0, -0.01));
  builder.rigid(1.0, 0.2, Vec3(0.02, 0.01, -0.01));
  const Mat3 frame = frame_of(Vec3::UnitZ());
  for (int i = 0; i < 2; ++i) {
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 arm(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
      builder.rows(coulomb(0.4), {{i, ProblemBuilder::rigid_rows(frame, arm)}}, VecX::Zero(3));
    }
  }
  builder.rows(of_kind(Law::Kind::equality),
               {{0, ProblemBuilder::rigid_rows(frame, Vec3(0.5, 0, 0))},
                {1, -ProblemBuilder::rigid_rows(frame, Vec3(-0.5, 0, 0))}},
               VecX::Zero(3));
  const Outcome outcome = solve(builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  expect_honest(outcome);
  VecX u;
  builder.problem.j.multiply(outcome.solution.v, u);
  EXPECT_LE(u.tail(3).norm(), 1e-8) << "the joint holds";
}

TEST(StaggeredProjections, SolvesCompliantContacts) {
  // u_N = (1/m + c) r_N − 1 = 0 and u_T = 3 + (1/m + c) r_T with r_T = −mu r_N.
  ProblemBuilder builder;
  builder.body(MatX::Identity(3, 3), Vec3(-1, 3, 0));
  builder.rows(coulomb(0.5), {{0, MatX::Identity(3, 3)}}, VecX::Zero(3), 0.25);
  const Outcome outcome = solve(builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  EXPECT_LE((outcome.solution.r - Vec3(0.8, -0.4, 0)).norm(), 1e-7);
}

TEST(StaggeredProjections, NeedNoBodiesBehindAGivenW) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const ContactProblem problem = random_pile(seed, 6, seed % 2 ? coulomb(0.5) : polygonal(0.5));
    const Outcome outcome = solve(with_explicit_delassus(problem));
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(certify(problem, outcome.solution.r).residual, 1e-8);
  }
}

TEST(StaggeredProjectionsSlow, InParallelFormFindTheSameVelocities) {
  StaggeredProjectionsOptions own;
  own.parallel = true;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const ContactProblem problem = random_pile(seed, 6, coulomb(0.3));
    StaggeredProjections side_by_side{SolverOptions(), own};
    StaggeredProjections in_turn{SolverOptions()};
    const Outcome one = solve_cold(side_by_side, problem);
    EXPECT_EQ(one.report.status, SolveStatus::converged) << one.report.reason;
    EXPECT_LE(one.residual, 1e-8);
    EXPECT_GE(one.report.iterations, solve_cold(in_turn, problem).report.iterations);
  }
}

class StaggeredOnPiles : public ::testing::TestWithParam<unsigned> {
 protected:
  StaggeredOnPiles() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}

  ContactProblem pile(int boxes = 9) const {
    const Law laws[] = {coulomb(0.3), coulomb(0.8), polygonal(0.5), elliptic(0.6, 0.2)};
    return random_pile(GetParam(), boxes, laws[GetParam() % 4]);
  }

 private:
  ::testing::ScopedTrace trace_;
};

TEST_P(StaggeredOnPiles, ConvergesOrSaysThatItDidNot) {
  const Outcome outcome = solve(pile());
  expect_honest(outcome);
  EXPECT_TRUE(outcome.report.status == SolveStatus::converged || outcome.report.status == SolveStatus::iteration_limit)
      << status_name(outcome.report.status) << ": " << outcome.report.reason;
}

TEST_P(StaggeredOnPiles, KeepsTheBestIterateAndTheNormalLawWhenIterationsRunOut) {
  const ContactProblem problem = pile();
  for (int limit : {1, 2, 5}) {
    SolverOptions options;
    options.max_iterations = limit;
    const Outcome outcome = solve(problem, options);
    ASSERT_LE(outcome.report.iterations, limit);
    expect_honest(outcome);
    if (outcome.report.status == SolveStatus::converged) continue;
    EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
    // Projections are solved to a tenth of the residual before them, of at most 1e-2.
    EXPECT_LE(normal_residual(problem, outcome.solution.r), 1e-3) << "limit " << limit;
    VecX v;
    velocity_from_impulses(problem, outcome.solution.r, v);
    EXPECT_EQ(outcome.solution.v, v);
  }
}

TEST_P(StaggeredOnPiles, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = pile();
  const VecX zero = VecX::Zero(problem.rows());
  const Outcome first = solve(problem);
  StaggeredProjections solver{SolverOptions()};
  const SolvedProblem other = box_stack(4);
  solve_with(solver, other.problem, VecX::Zero(other.r.size()));
  const Outcome after_other = solve_with(solver, problem, zero);
  const Outcome again = solve_with(solver, problem, zero);
  for (const Outcome* outcome : {&after_other, &again}) {
    EXPECT_EQ(outcome->solution.r, first.solution.r);
    EXPECT_EQ(outcome->solution.v, first.solution.v);
    EXPECT_EQ(outcome->report.residual_history, first.report.residual_history);
    EXPECT_EQ(outcome->report.inner_iterations, first.report.inner_iterations);
  }
}

TEST_P(StaggeredOnPiles, HasLittleToDoFromItsOwnSolution) {
  const ContactProblem problem = pile();
  StaggeredProjections solver{SolverOptions()};
  const Outcome cold = solve_with(solver, problem, VecX::Zero(problem.rows()));
  if (cold.report.status != SolveStatus::converged) return;  // said elsewhere whether that may be
  const Outcome warm = solve_with(solver, problem, cold.solution.r);
  EXPECT_EQ(warm.report.status, SolveStatus::converged);
  // One iteration, unless its projection, finer than the last one was, moves a residual close below the tolerance
  // above.
  EXPECT_LE(warm.report.iterations, 4);
}

TEST_P(StaggeredOnPiles, ReachesTheToleranceItIsAskedFor) {
  const ContactProblem problem = pile(6);
  for (double tolerance : {1e-3, 1e-6, 1e-10}) {
    SolverOptions options;
    options.tolerance = tolerance;
    expect_honest(solve(problem, options), tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StaggeredOnPiles, ::testing::Range(1u, 13u));

TEST(StaggeredProjectionsSlow, ConvergesOnNearlyAllRandomPiles) {
  // There is no theorem that it must; that it nearly always does is what makes it useful.
  int converged = 0;
  constexpr unsigned piles = 40;
  for (unsigned seed = 100; seed < 100 + piles; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Outcome outcome = solve(random_pile(seed, 6, coulomb(seed % 2 ? 0.3 : 0.7)));
    expect_honest(outcome);
    if (outcome.report.status == SolveStatus::converged) ++converged;
  }
  EXPECT_GE(converged, 38);
}

TEST(StaggeredProjections, OnAnIterationLimitOfOneLeavesFrictionOutButCarriesTheWeight) {
  const SolvedProblem sliding = sliding_box(0.6);
  SolverOptions options;
  options.max_iterations = 1;
  const Outcome outcome = solve(sliding.problem, options);
  EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
  EXPECT_FALSE(outcome.report.reason.empty());
  EXPECT_GT(outcome.residual, kStaggeredTolerance);
  EXPECT_NEAR(outcome.solution.v[2], 0.0, 1e-3 * 9.81e-3);
}

TEST(StaggeredProjections, SaysHonestlyWhatBecameOfAJammedWedge) {
  // Friction beyond the tangent of the walls: impulses may grow without effect, and solutions are many.
  for (double mu : {0.1, 0.29, 0.32, 1.0, 3.0}) {
    ProblemBuilder builder;
    builder.body(planar_mass(1.0, 0.2), Vec3(0.0, -1.0, 0.1));
    for (double side : {-1.0, 1.0}) {
      const Vec2 normal(-side * std::cos(0.3), std::sin(0.3));
      builder.rows(coulomb(mu), {{0, planar_rows(normal, Vec2(side, 0.3))}}, VecX::Zero(2));
    }
    expect_honest(solve(builder.problem));
  }
}

TEST(StaggeredProjections, SaysHonestlyWhatBecameOfAPainleveRod) {
  for (double mu : {0.5, 1.3, 2.0}) {
    for (double speed : {-1.0, 1.0}) {
      ProblemBuilder builder;
      builder.body(planar_mass(1.0, 1.0 / 3.0), Vec3(speed, -0.1, 0.0));
      const double angle = std::atan(2.0);
      builder.rows(coulomb(mu), {{0, planar_rows(Vec2::UnitY(), Vec2(-std::cos(angle), -std::sin(angle)))}},
                   VecX::Zero(2));
      SolverOptions options;
      options.max_iterations = 200;
      expect_honest(solve(builder.problem, options));
    }
  }
}

TEST(StaggeredProjections, NamesTheRowsOfAnInfeasibleProblem) {
  // A ball between plates that come together, and a second ball that has nothing to do with it.
  ProblemBuilder builder;
  builder.rigid(1.0, 0.4, Vec3(0, 0, -0.1));
  builder.rigid(1.0, 0.4, Vec3(0, 0, -0.1));
  const auto touch = [&](int body, const Vec3& normal, double b) {
    builder.rows(coulomb(0.5), {{body, ProblemBuilder::rigid_rows(frame_of(normal), -normal)}}, Vec3(b, 0, 0));
  };
  touch(0, Vec3::UnitZ(), 0.0);
  touch(1, Vec3::UnitZ(), -1.0);
  touch(1, -Vec3::UnitZ(), -1.0);
  const Outcome outcome = solve(builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::infeasible);
  EXPECT_EQ(outcome.report.conflicting_rows, (std::vector<int>{3, 6}));
  EXPECT_FALSE(outcome.report.reason.empty());
  EXPECT_FALSE(outcome.residual <= kStaggeredTolerance);
}

TEST(StaggeredProjections, NamesViolatedRowsThatNothingCanMove) {
  SolvedProblem stack = box_stack(1);
  ProblemBuilder builder{stack.problem};
  builder.rows(coulomb(0.5), {}, Vec3(-0.1, 0, 0));
  builder.rows(coulomb(0.5), {}, Vec3(0.1, 0, 0));
  const Outcome outcome = solve(builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::infeasible);
  EXPECT_EQ(outcome.report.conflicting_rows, (std::vector<int>{12}));
  EXPECT_FALSE(outcome.residual <= kStaggeredTolerance);
}

TEST(StaggeredProjections, PassesOverOpenRowsThatNothingCanMove) {
  SolvedProblem stack = box_stack(1);
  ProblemBuilder builder{stack.problem};
  builder.rows(coulomb(0.5), {}, Vec3(0.1, 3.0, 0));
  builder.rows(coulomb(0.5), {}, Vec3(1e-12, 3.0, 0));
  const Outcome outcome = solve(builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  StaggeredProjections solver{SolverOptions()};
  const Outcome guessed = solve_with(solver, builder.problem, VecX::Ones(builder.problem.rows()));
  EXPECT_EQ(guessed.report.status, SolveStatus::converged) << "also from a guess that loads them";
}

TEST(StaggeredProjections, HoldsTallStacksWithHeavyTops) {
  for (double ratio : {1.0, 100.0, 1e4}) {
    const SolvedProblem stack = box_stack(10, ratio);
    const Outcome outcome = solve(stack.problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << "ratio " << ratio << ", residual " << outcome.residual;
  }
}

TEST(StaggeredProjections, ReportsItsMethodItsTimeAndItsWork) {
  const Outcome outcome = solve(sliding_box(0.6).problem);
  EXPECT_EQ(outcome.report.methods, (std::vector<std::string>{"staggered-projections"}));
  EXPECT_GT(outcome.report.seconds, 0.0);
  EXPECT_GT(outcome.report.inner_iterations, 0);
}

}  // namespace
}  // namespace cardhouse::testing
