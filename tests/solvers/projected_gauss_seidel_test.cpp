#include "cardhouse/solvers/projected_gauss_seidel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "contact/analytic_problems.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

using Friction = ProjectedGaussSeidelOptions::Friction;

/// Of the common residual, the default of the options.
constexpr double sweep_tolerance = 1e-8;

SolverOptions many_row_sweeps() {
  SolverOptions options;
  options.max_iterations = 50000;
  return options;
}

ProjectedGaussSeidel with_friction(Friction friction, const SolverOptions& options = many_row_sweeps()) {
  ProjectedGaussSeidelOptions own;
  own.friction = friction;
  return ProjectedGaussSeidel(options, own);
}

/// A particle that presses with 1 N s and slides at 1 m/s at an angle from the first tangent.
SolvedProblem sliding_at(double angle, const Law& law) {
  const Vec2 direction(std::cos(angle), std::sin(angle));
  const Vec3 r(1.0, -law.mu * direction.x(), -law.mu * direction.y());
  return particle_with(law, r, Vec3(0.0, direction.x(), direction.y()), 1.0);
}

constexpr Friction both[] = {Friction::box, Friction::pyramid};

/// With one tangent, no friction or one contact that sticks, box, pyramid and law are the same. (Where friction is
/// redundant, as under a box, the corners of the squares may work against each other.)
TEST(ProjectedGaussSeidel, SolvesWhatBoxAndPyramidShareWithTheLaw) {
  int seen = 0;
  for (const NamedProblem& named : analytic_problems()) {
    const bool round = named.name.find("Ellipse") == std::string::npos &&
                       named.name.find("Polygon") == std::string::npos && named.name != "SlippingParticle";
    const bool planar = named.solved.problem.j.group(0).dim < 3;
    if (!planar && (!round || named.solved.problem.groups() > 1)) continue;
    SCOPED_TRACE(named.name);
    ++seen;
    for (Friction friction : both) {
      SCOPED_TRACE(friction == Friction::box ? "box" : "pyramid");
      ProjectedGaussSeidel solver = with_friction(friction);
      const ContactProblem second = with_explicit_delassus(named.solved.problem);
      for (const ContactProblem* problem : {&named.solved.problem, &second}) {
        const Outcome outcome = solve_cold(solver, *problem);
        EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
        EXPECT_LE(outcome.residual, sweep_tolerance);
      }
    }
  }
  EXPECT_GE(seen, 11);
}

TEST(ProjectedGaussSeidel, SolvesSlidingAlongATangent) {
  for (double angle : {0.0, 0.5, 1.0, 1.5}) {
    SCOPED_TRACE(angle);
    const SolvedProblem solved = sliding_at(angle * std::numbers::pi, coulomb(0.5));
    ProjectedGaussSeidel solver = with_friction(Friction::box);
    const Outcome outcome = solve_cold(solver, solved.problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE((outcome.solution.r - solved.r).norm(), 10.0 * sweep_tolerance);
  }
}

/// At 45° the box gives √2 too much friction: each tangent has all of mu r_N for itself.
TEST(ProjectedGaussSeidel, AnswersWithTheCornerOfTheBoxAndSaysByHowMuchItMissesTheLaw) {
  const SolvedProblem solved = sliding_at(std::numbers::pi / 4.0, coulomb(0.5));
  ProjectedGaussSeidel solver = with_friction(Friction::box);
  for (const VecX& guess : {VecX(VecX::Zero(3)), solved.r}) {  // nor does it keep the exact answer
    const Outcome outcome = solve_with(solver, solved.problem, guess);
    EXPECT_LE((outcome.solution.r - Vec3(1.0, -0.5, -0.5)).norm(), 1e-12);
    EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
    EXPECT_NE(outcome.report.reason.find("box"), std::string::npos) << outcome.report.reason;
    EXPECT_GT(outcome.residual, 0.01);
    EXPECT_EQ(outcome.report.residual_history.back(), outcome.residual);
  }
}

/// The octagon of eight directions touches the circle at 45° and is farthest from it at 22.5°.
TEST(RegularisedGaussSeidel, SlidesByTheCornersOfItsPyramid) {
  ProjectedGaussSeidel solver = with_friction(Friction::pyramid);
  for (double angle : {0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75}) {
    SCOPED_TRACE(angle);
    const SolvedProblem solved = sliding_at(angle * std::numbers::pi, coulomb(0.5));
    const Outcome outcome = solve_cold(solver, solved.problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    // The residual is of the size of ‖r‖ = 1.1.
    EXPECT_LE((outcome.solution.r - solved.r).norm(), 10.0 * sweep_tolerance);
  }
  const SolvedProblem between = sliding_at(std::numbers::pi / 8.0, coulomb(0.5));
  const Outcome outcome = solve_cold(solver, between.problem);
  EXPECT_GT(outcome.residual, 0.01);
  EXPECT_NE(outcome.report.reason.find("pyramid"), std::string::npos) << outcome.report.reason;
}

TEST(RegularisedGaussSeidel, SolvesTheLawsOfPolygons) {
  for (const SolvedProblem& solved :
       {slipping_on_polygon(0.5, 8, 2, 0.3), slipping_on_polygon(0.5, 6, 5, 0.9),
        particle_with(polygonal(0.5, 8), Vec3(1, 0.5, 0), Vec3(0, -1.0, 0.2)), box_stack(3, 1.0, polygonal(0.4))}) {
    ProjectedGaussSeidel solver = with_friction(Friction::pyramid);
    const Outcome outcome = solve_cold(solver, solved.problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, sweep_tolerance);
  }
}

/// β and λ are made from the guess.
TEST(RegularisedGaussSeidel, StartsFromTheGuess) {
  ProjectedGaussSeidel solver = with_friction(Friction::pyramid);
  const SolvedProblem particles[] = {slipping_on_polygon(0.5, 8, 2, 0.3), slipping_on_polygon(0.5, 8, 7, 0.6),
                                     particle_with(coulomb(0.5), Vec2(1.0, -0.5), Vec2(0, 0.6)),
                                     particle_with(coulomb(0.5), Vec2(1.0, 0.5), Vec2(0, -0.6))};
  for (const SolvedProblem& solved : particles) {
    EXPECT_GT(solve_cold(solver, solved.problem).report.iterations, 5);
    EXPECT_EQ(solve_with(solver, solved.problem, solved.r).report.iterations, 1);
  }
}

class ProjectedGaussSeidelOnPiles : public ::testing::TestWithParam<unsigned> {
 protected:
  ProjectedGaussSeidelOnPiles() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}

 private:
  ::testing::ScopedTrace trace_;
};

/// How far r is from box friction: of each row r − clamp(r − rho u), of the largest impulse.
double box_error(const ContactProblem& problem, const VecX& r) {
  VecX v;
  VecX u;
  contact_velocity(problem, r, v, u);
  double largest = 0.0;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const Law& law = problem.laws[g];
    const double rho = 3.0 / delassus_block(problem, g).trace();
    const double normal = r[rows.row];
    largest = std::max(largest, std::abs(normal - std::max(normal - rho * u[rows.row], 0.0)));
    for (int i = 1; i < rows.dim; ++i) {
      const double width = (i == 1 ? law.mu : law.mu_cross) * normal;
      const double x = r[rows.row + i];
      largest = std::max(largest, std::abs(x - std::clamp(x - rho * u[rows.row + i], -width, width)));
    }
  }
  return largest / r.lpNorm<Eigen::Infinity>();
}

TEST_P(ProjectedGaussSeidelOnPiles, EndsWithBoxFriction) {
  const ContactProblem problem = random_pile(GetParam(), 9, GetParam() % 2 == 0 ? coulomb(0.3) : elliptic(0.5, 0.2));
  ProjectedGaussSeidel solver = with_friction(Friction::box);
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    // Sweeps that have settled change 1e-11 at most; slow ones stand a hundred times farther off.
    EXPECT_LE(box_error(form, outcome.solution.r), 1e-9);
    // Piles slide somewhere, and hardly along a tangent.
    EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
    EXPECT_NE(outcome.report.reason.find("box"), std::string::npos) << outcome.report.reason;
    EXPECT_GT(outcome.residual, sweep_tolerance);
  }
}

TEST_P(ProjectedGaussSeidelOnPiles, SolvesFrictionlessPiles) {
  const ContactProblem problem = random_pile(GetParam(), 9, coulomb(0.0));
  for (Friction friction : both) {
    ProjectedGaussSeidel solver = with_friction(friction);
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, sweep_tolerance);
  }
}

/// As games do: a few sweeps and whatever they leave, which is the last and not the best.
TEST_P(ProjectedGaussSeidelOnPiles, MakesJustTheSweepsItIsAllowed) {
  const ContactProblem problem = random_pile(GetParam(), 9, coulomb(0.5));
  for (Friction friction : both) {
    for (int sweeps : {1, 10, 30}) {
      SolverOptions options;
      options.max_iterations = sweeps;
      ProjectedGaussSeidel solver = with_friction(friction, options);
      const Outcome outcome = solve_cold(solver, problem);
      EXPECT_EQ(outcome.report.iterations, sweeps);
      EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
      EXPECT_EQ(outcome.report.residual_history.back(), outcome.residual);
      VecX v;
      velocity_from_impulses(problem, outcome.solution.r, v);
      EXPECT_EQ(outcome.solution.v, v);
    }
  }
}

TEST_P(ProjectedGaussSeidelOnPiles, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = random_pile(GetParam(), 9, coulomb(0.5));
  for (Friction friction : both) {
    ProjectedGaussSeidel solver = with_friction(friction, SolverOptions());
    const Outcome first = solve_cold(solver, problem);
    solve_cold(solver, with_explicit_delassus(box_stack(4).problem));
    const Outcome again = solve_cold(solver, problem);
    EXPECT_EQ(again.solution.r, first.solution.r);
    EXPECT_EQ(again.report.residual_history, first.report.residual_history);
  }
}

/// From its own answer it has little to do.
TEST_P(ProjectedGaussSeidelOnPiles, StartsFromTheGuess) {
  const ContactProblem problem = random_pile(GetParam(), 9, coulomb(0.3));
  ProjectedGaussSeidel solver = with_friction(Friction::box);
  const Outcome cold = solve_cold(solver, problem);
  const Outcome warm = solve_with(solver, problem, cold.solution.r);
  EXPECT_LT(warm.report.iterations, cold.report.iterations / 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ProjectedGaussSeidelOnPiles, ::testing::Range(1u, 9u));

TEST(ProjectedGaussSeidel, SolvesJointsAndBoundedRows) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    ContactProblem problem = random_problem(random, 8, 12);
    for (Law& law : problem.laws) law.mu = law.mu_cross = 0.0;  // what box and law share
    for (Friction friction : both) {
      ProjectedGaussSeidel solver = with_friction(friction);
      const Outcome outcome = solve_cold(solver, problem);
      EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
      EXPECT_LE(outcome.residual, sweep_tolerance);
    }
  }
}

}  // namespace
}  // namespace cardhouse::testing
