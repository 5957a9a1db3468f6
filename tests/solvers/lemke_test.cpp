#include "cardhouse/solvers/lemke.h"

#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/base/error.h"
#include "contact/analytic_problems.h"
#include "contact/pyramid.h"
#include "solvers/outcome.h"
#include "solvers/piles.h"

namespace cardhouse::testing {
namespace {

/// Of the common residual, the default of the options.
constexpr double kTolerance = 1e-8;

/// Pivots for problems that need more than the default of iterations.
SolverOptions patient() {
  SolverOptions options;
  options.max_iterations = 20000;
  return options;
}

class LemkeOnAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(LemkeOnAnalyticProblems, SolvesBothFormsOrSaysThatRoundFrictionBecamePolygons) {
  const auto& [problem, r] = GetParam().solved;
  Lemke solver{SolverOptions()};
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    if (has_round_friction(problem) && outcome.report.status != SolveStatus::converged) {
      EXPECT_EQ(outcome.report.status, SolveStatus::iteration_limit);
      EXPECT_NE(outcome.report.reason.find("polygons of 16 sides"), std::string::npos) << outcome.report.reason;
      EXPECT_LE(outcome.residual, 0.2) << "sliding within half a side of the right direction: pi/16";
    } else {
      EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
      EXPECT_LE(outcome.residual, kTolerance);
      EXPECT_TRUE(outcome.report.reason.empty());
    }
    EXPECT_EQ(outcome.report.iterations, static_cast<int>(outcome.report.residual_history.size()));
  }
}

TEST_P(LemkeOnAnalyticProblems, AcceptsTheSolutionWithoutWork) {
  const auto& [problem, r] = GetParam().solved;
  Lemke solver{SolverOptions()};
  const Outcome outcome = solve_with(solver, problem, r);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged);
  EXPECT_EQ(outcome.report.inner_iterations, 0);
}

INSTANTIATE_TEST_SUITE_P(Analytic, LemkeOnAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

class LemkeOnPiles : public ::testing::TestWithParam<unsigned> {
 protected:
  LemkeOnPiles() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()) {}

  ContactProblem pile(int boxes) const {
    const Law laws[] = {polygonal(0.3), polygonal(0.8, 4), polygonal(0.5, 6)};
    return random_pile(GetParam(), boxes, laws[GetParam() % 3]);
  }

 private:
  ::testing::ScopedTrace trace_;
};

TEST_P(LemkeOnPiles, SolvesPolygonalFrictionInBothForms) {
  const ContactProblem problem = pile(6);
  Lemke solver(patient());
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const Outcome outcome = solve_cold(solver, form);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, kTolerance);
    EXPECT_GT(outcome.report.inner_iterations, 0);
  }
}

/// The W of a file need not be symmetric; the residual is that of the W given.
TEST_P(LemkeOnPiles, SolvesWithASlightlyUnsymmetricW) {
  ContactProblem problem = with_explicit_delassus(pile(4));
  Random random(GetParam());
  MatX w = problem.delassus->w;
  w.array() *= 1.0 + 1e-3 * random.matrix(static_cast<int>(w.rows()), static_cast<int>(w.cols())).array();
  problem.delassus->w = w.sparseView();
  Lemke solver(patient());
  const Outcome outcome = solve_cold(solver, problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, kTolerance);
}

TEST_P(LemkeOnPiles, GivesTheSameBitsTwiceAndAfterAnotherProblem) {
  const ContactProblem problem = pile(3);
  Lemke solver(patient());
  const Outcome first = solve_cold(solver, problem);
  solve_cold(solver, box_stack(2).problem);
  const Outcome again = solve_cold(solver, problem);
  EXPECT_EQ(again.solution.r, first.solution.r);
  EXPECT_EQ(again.solution.v, first.solution.v);
}

TEST_P(LemkeOnPiles, OfMoreSidesComesCloserToTheDisk) {
  const ContactProblem problem = random_pile(GetParam(), 2, coulomb(0.3));
  double before = std::numeric_limits<double>::infinity();
  for (int sides : {4, 16, 64}) {
    LemkeSolverOptions own;
    own.disk_sides = sides;
    Lemke solver(patient(), own);
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_TRUE(outcome.report.status == SolveStatus::converged || outcome.residual < before)
        << sides << " sides: " << outcome.residual << " after " << before << "; " << outcome.report.reason;
    before = outcome.residual;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LemkeOnPiles, ::testing::Range(1u, 13u));

TEST(Lemke, SolvesContactsJointsStopsAndMotorsTogether) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    ContactProblem problem = random_problem(random, 6, 12);
    for (Law& law : problem.laws) {
      if (law.kind == Law::Kind::coulomb) law = polygonal(law.mu);
    }
    Lemke solver(patient());
    const Outcome outcome = solve_cold(solver, problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, kTolerance);
  }
}

/// A box on the floor, welded to a second one by more rows than it has freedoms.
ContactProblem welded_boxes() {
  ProblemBuilder builder;
  builder.rigid(1.0, 0.2, Vec3(0, 0, -0.01));
  builder.rigid(1.0, 0.2, Vec3(0.02, 0.01, -0.01));
  const Mat3 frame = frame_of(Vec3::UnitZ());
  for (int corner = 0; corner < 4; ++corner) {
    const Vec3 arm(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
    builder.rows(polygonal(0.4), {{0, ProblemBuilder::rigid_rows(frame, arm)}}, VecX::Zero(3));
  }
  for (const Vec3& point : {Vec3(0, 0, 0.5), Vec3(0.5, 0, 0.5), Vec3(0, 0.5, 0.5)}) {
    builder.rows(
        of_kind(Law::Kind::equality),
        {{0, ProblemBuilder::rigid_rows(frame, point)}, {1, -ProblemBuilder::rigid_rows(frame, point - Vec3::UnitZ())}},
        VecX::Zero(3));
  }
  return builder.problem;
}

TEST(Lemke, TakesJointsThatHoldABodyTwice) {
  Lemke solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, welded_boxes());
  EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
  EXPECT_LE(outcome.residual, kTolerance);
}

TEST(Lemke, NamesEqualityRowsThatContradictEachOther) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2(1.0, 1.0));
  const MatX x = Vec2(1, 0).transpose();
  const MatX y = Vec2(0, 1).transpose();
  builder.rows(of_kind(Law::Kind::equality), {{0, y}}, VecX::Constant(1, 0.0));
  builder.rows(of_kind(Law::Kind::equality), {{0, x}}, VecX::Constant(1, 0.0));
  builder.rows(of_kind(Law::Kind::equality), {{0, x}}, VecX::Constant(1, -1.0));
  Lemke solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::infeasible) << outcome.report.reason;
  EXPECT_EQ(outcome.report.conflicting_rows, (std::vector<int>{1, 2}));
}

TEST(Lemke, NamesTheRowsOfARayThatProvesInfeasibility) {
  // One particle between a floor that rises and a ceiling that falls, beside one that just rests.
  ProblemBuilder builder;
  builder.body(MatX::Identity(1, 1), VecX::Constant(1, -0.01));
  builder.body(MatX::Identity(1, 1), VecX::Zero(1));
  const MatX up = MatX::Identity(1, 1);
  builder.rows(of_kind(Law::Kind::unilateral), {{0, up}}, VecX::Zero(1));
  builder.rows(of_kind(Law::Kind::unilateral), {{1, up}}, VecX::Constant(1, -1.0));
  builder.rows(of_kind(Law::Kind::unilateral), {{1, -up}}, VecX::Constant(1, -1.0));
  Lemke solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::infeasible) << outcome.report.reason;
  EXPECT_NE(outcome.report.reason.find("secondary ray"), std::string::npos) << outcome.report.reason;
  EXPECT_EQ(outcome.report.conflicting_rows, (std::vector<int>{1, 2}));
}

/// A particle between two walls that close in, nearly parallel: friction jams it, and the ray is no proof.
TEST(Lemke, OfARayWithFrictionSaysFailedAndNotInfeasible) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2::Zero());
  // Walls on the left and the right that close in at 1 m/s each.
  builder.rows(coulomb(0.5), {{0, (MatX(2, 2) << 1, 0, 0, 1).finished()}}, Vec2(-1, 0));
  builder.rows(coulomb(0.5), {{0, (MatX(2, 2) << -0.999, 0.0447, 0.0447, 0.999).finished()}}, Vec2(-1, 0));
  Lemke solver{SolverOptions()};
  const Outcome outcome = solve_cold(solver, builder.problem);
  EXPECT_EQ(outcome.report.status, SolveStatus::failed) << "not infeasible: without friction it leaves sideways";
  EXPECT_NE(outcome.report.reason.find("secondary ray"), std::string::npos) << outcome.report.reason;
}

/// Painlevé's rod: sliding on its tip with so much friction that pushing pulls (W_nn < mu |W_nt|). Forces have no
/// solution there; impulses have.
TEST(Lemke, SolvesPainlevesRod) {
  constexpr double mu = 2.0;
  constexpr double angle = 1.0;  // from the floor
  const Vec2 tip(-0.5 * std::cos(angle), -0.5 * std::sin(angle));
  for (double speed : {-1.0, 1.0}) {
    ProblemBuilder builder;
    builder.body(planar_mass(1.0, 1.0 / 12.0), Vec3(speed, -9.81e-3, 0.0));
    builder.rows(coulomb(mu), {{0, planar_rows(Vec2::UnitY(), tip)}}, VecX::Zero(2));
    const Mat3 w = delassus_block(builder.problem, 0);
    ASSERT_LT(w(0, 0), mu * std::abs(w(0, 1)));
    Lemke solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, builder.problem);
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.residual, kTolerance);
    EXPECT_GT(outcome.solution.r[0], 0.0);
  }
}

/// Any of the solutions, which form no convex set, will do.
TEST(Lemke, FindsASolutionOfTheHexagonalPyramid) {
  for (double mu : {0.01, 0.5, 2.0}) {
    Lemke solver{SolverOptions()};
    const Outcome outcome = solve_cold(solver, hexagonal_pyramid(mu));
    EXPECT_EQ(outcome.report.status, SolveStatus::converged) << outcome.report.reason;
    EXPECT_LE(outcome.solution.v.norm(), 1e-12);
  }
}

/// A disk is cut to a polygon of as many sides as asked for: friction points up to π/sides off, and what that costs
/// falls with it.
TEST(Lemke, ComesNearerToRoundFrictionTheMoreSidesItIsGiven) {
  const ContactProblem problem = slipping_on_ellipse(0.4, 0.4, 1.0).problem;
  double last = 1.0;
  for (const char* sides : {"4", "16", "64", "256"}) {
    const auto solver = make_solver(std::string("lemke:sides=") + sides, {});
    const Outcome outcome = solve_cold(*solver, problem);
    EXPECT_NE(outcome.report.reason.find(std::string("polygons of ") + sides + " sides"), std::string::npos);
    EXPECT_LT(outcome.residual, 0.5 * last) << sides;
    last = outcome.residual;
  }
  EXPECT_LT(last, 0.4 * 3.2 / 256);  // mu times half the angle of a side
  for (const char* wrong : {"lemke:sides=7", "lemke:sides=2", "sqp:sides=x", "sqp:sides=300"}) {
    EXPECT_THROW(make_solver(wrong, {}), InputError) << wrong;
  }
}

TEST(Lemke, KeepsToItsLimits) {
  const ContactProblem problem = random_pile(1, 6, polygonal(0.3));
  SolverOptions options;
  options.max_iterations = 3;
  Lemke impatient(options);
  const Outcome limited = solve_cold(impatient, problem);
  EXPECT_EQ(limited.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.report.inner_iterations, 3);
  EXPECT_NE(limited.report.reason.find("3 pivots"), std::string::npos) << limited.report.reason;
  options = {};
  options.max_seconds = 1e-9;
  Lemke hurried(options);
  EXPECT_EQ(solve_cold(hurried, problem).report.status, SolveStatus::time_limit);
  LemkeSolverOptions own;
  own.max_unknowns = 100;
  Lemke small(SolverOptions(), own);
  const Outcome refused = solve_cold(small, problem);
  EXPECT_EQ(refused.report.status, SolveStatus::unsupported);
  EXPECT_NE(refused.report.reason.find("240 unknowns"), std::string::npos) << refused.report.reason;
}

}  // namespace
}  // namespace cardhouse::testing
