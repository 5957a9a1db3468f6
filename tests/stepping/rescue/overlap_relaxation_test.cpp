#include "cardhouse/stepping/rescue/overlap_relaxation.h"

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

StepSettings pushing() {
  StepSettings settings;
  settings.initial_overlaps = InitialOverlaps::push;
  settings.scheme = Scheme::stewart_trinkle;
  return settings;
}

/// A ball of radius 1 cm at x between two fixed plates that are `width` apart; body 2.
SmallModel between_plates(double width, double x, double mu = 0.5) {
  SmallModel setup;
  setup.model.materials[0].mu = mu;
  for (const double side : {-1.0, 1.0}) {
    Body plate;
    plate.name = side < 0.0 ? "left" : "right";
    plate.mobility = Mobility::fixed;
    plate.shapes.push_back({Box{Vec3(0.02, 0.1, 0.1)}, Pose{}, 0});
    BodyState s;
    s.pose.position.x() = side * (0.5 * width + 0.02);
    setup.add(plate, s);
  }
  Body ball;
  ball.name = "ball";
  ball.shapes.push_back({Sphere{0.01}, Pose{}, 0});
  BodyState s;
  s.pose.position.x() = x;
  set_density(ball, s, 1000.0);
  setup.add(ball, s);
  return setup;
}

TEST(OverlapRelaxation, ABodyBetweenWallsTooCloseIsNotPushedByEither) {
  SmallModel setup = between_plates(0.018, 4e-4);  // overlaps of 0.6 mm and 1.4 mm
  Stepper stepper(setup.model, pushing());
  for (int i = 0; i < 50; ++i) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    ASSERT_TRUE(report.certified) << report.reason;
    EXPECT_EQ(report.relaxed_rows, 2);
    // Either overlap can be undone only by making the other deeper.
    EXPECT_NEAR(report.overlap_left, 1.4e-3, 1e-9);
    EXPECT_NE(report.warning.find("cannot all be removed"), std::string::npos) << report.warning;
  }
  EXPECT_NEAR(setup.state.bodies[2].pose.position.x(), 4e-4, 1e-9);
  // Nothing says how hard rigid walls squeeze it: not at all is a solution, and then there is no friction either.
  EXPECT_LE(setup.state.bodies[2].pose.position.z(), 0.0);
}

TEST(OverlapRelaxation, IsFoundWhicheverSolverMeetsTheContradiction) {
  for (const char* solver : {"gauss-seidel", "newton", "staggered-projections"}) {
    SmallModel setup = between_plates(0.018, 4e-4);
    StepSettings settings = pushing();
    settings.solver = solver;
    Stepper stepper(setup.model, settings);
    const StepReport& report = stepper.step(setup.model, setup.state);
    EXPECT_TRUE(report.certified) << solver << ": " << report.reason;
    EXPECT_EQ(report.relaxed_rows, 2) << solver;
  }
}

TEST(OverlapRelaxation, EvenOverlapsOfNanometresAreToldApartFromLoads) {
  SmallModel setup = between_plates(0.02 - 2e-9, 0.0);
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified) << report.reason;
  EXPECT_NEAR(setup.state.bodies[2].pose.position.x(), 0.0, 1e-9);
}

TEST(OverlapRelaxation, OverlapsThatCanBeUndoneAreUndoneInFull) {
  SmallModel setup = between_plates(0.025, 4e-3);  // into the right plate by 1.5 mm, room on the left
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified);
  EXPECT_EQ(report.relaxed_rows, 0);
  EXPECT_TRUE(report.warning.empty());
  EXPECT_NEAR(setup.state.bodies[2].pose.position.x(), 2.5e-3, 1e-9);
}

TEST(OverlapRelaxation, AnOverlapGivesWayToAGapThatIsTooSmallForIt) {
  // 1.5 mm into the right plate, 0.5 mm of room on the left: only the overlap's row is relaxed.
  SmallModel setup = between_plates(0.019, 1e-3);
  setup.model.gravity.setZero();
  const double gap = 0.0095 + 1e-3 - 0.01;
  ASSERT_GT(gap, 0.0);
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified) << report.reason;
  EXPECT_EQ(report.relaxed_rows, 1);
  EXPECT_NEAR(setup.state.bodies[2].pose.position.x(), 1e-3 - gap, 1e-6 + 1e-3 * 1e-3);
}

TEST(OverlapRelaxation, WhatDoesNotConflictIsStillUndone) {
  SmallModel setup = between_plates(0.018, 0.0, 0.0);
  setup.model.gravity.setZero();
  Body floor;
  floor.name = "floor";
  floor.mobility = Mobility::fixed;
  floor.shapes.push_back({HalfSpace{}, Pose{}, 0});
  BodyState s;
  s.pose.position.z() = -0.01 + 5e-4;
  setup.add(floor, s);
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified) << report.reason;
  EXPECT_EQ(report.relaxed_rows, 2);
  EXPECT_NEAR(setup.state.bodies[2].pose.position.z(), 5e-4, 1e-8);
}

TEST(OverlapRelaxation, TwoBodiesInASlotForOneAndAHalfStay) {
  SmallModel setup = between_plates(0.034, -8e-3, 0.0);  // 1 mm into either wall, 4 mm into each other
  setup.model.gravity.setZero();
  Body second = setup.model.bodies[2];
  second.name = "second";
  BodyState s;
  s.pose.position.x() = 8e-3;
  setup.add(second, s);
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_TRUE(report.certified) << report.reason;
  EXPECT_EQ(report.relaxed_rows, 3);
  EXPECT_NEAR(report.overlap_left, 4e-3, 1e-9);
  EXPECT_NEAR(setup.state.bodies[2].pose.position.x(), -8e-3, 1e-8);
  EXPECT_NEAR(setup.state.bodies[3].pose.position.x(), 8e-3, 1e-8);
}

/// An ellipse across a slot that is 2 mm too narrow for it, and whose right wall moves away at the speed; body 2. It
/// could turn upright, and without friction it does; with friction the walls hold it however hard it is pushed.
SmallModel wedged_ellipse(double receding) {
  SmallModel setup;
  setup.model.materials[0].mu = 0.5;
  const double half_width = std::hypot(0.1 * std::cos(0.3), 0.05 * std::sin(0.3)) - 1e-3;
  for (const double side : {-1.0, 1.0}) {
    Body wall;
    wall.name = side < 0.0 ? "left" : "right";
    wall.mobility = Mobility::kinematic;
    wall.motion = ConstantVelocity{Vec3(side < 0.0 ? 0.0 : receding, 0.0, 0.0), Vec3::Zero()};
    wall.shapes.push_back({HalfSpace{.normal = Vec3(-side, 0.0, 0.0)}, Pose{}, 0});
    BodyState s;
    s.pose.position.x() = side * half_width;
    setup.add(wall, s);
  }
  Body ellipse;
  ellipse.name = "ellipse";
  ellipse.kind = BodyKind::planar;
  ellipse.shapes.push_back({Ellipse{0.1, 0.05}, Pose{}, 0});
  BodyState s;
  set_density(ellipse, s, 10.0);
  s.pose.orientation = rotation_from_vector(Vec3(0.0, 0.3, 0.0));
  setup.add(ellipse, s);
  return setup;
}

TEST(OverlapRelaxation, AWedgedBodyStaysUntilAWallRecedes) {
  SmallModel setup = wedged_ellipse(0.1);
  Stepper stepper(setup.model, pushing());
  int relaxed = 0;
  for (int step = 0; step < 100; ++step) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    ASSERT_TRUE(report.certified) << "step " << step << ": " << report.reason;
    relaxed += report.relaxed_rows > 0 ? 1 : 0;
    EXPECT_LE(report.penetration, 1e-3 + 1e-9) << "no overlap becomes deeper";
  }
  EXPECT_GE(relaxed, 1);
  EXPECT_LT(relaxed, 40) << "the wall has gone by 2 mm after 20 steps";
  EXPECT_LT(setup.state.bodies[2].pose.position.z(), -1e-3) << "and it falls";
}

/// Walls that close on a wedged body contradict it whether its overlaps are undone or not: nothing is called relaxed,
/// and the step is told as what it is.
TEST(OverlapRelaxation, OverlapsThatAreLeftInVainAreNotCalledLeft) {
  SmallModel setup = wedged_ellipse(-0.1);
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_EQ(report.relaxed_rows, 0);
  EXPECT_EQ(report.overlap_left, 0.0);
}

TEST(OverlapRelaxation, KinematicWallsThatCloseStayInfeasibleAndSaySo) {
  // No gamma can help where prescribed motions contradict each other.
  SmallModel setup = between_plates(0.02, 0.0);
  for (const int i : {0, 1}) {
    setup.model.bodies[i].mobility = Mobility::kinematic;
    setup.model.bodies[i].motion = ConstantVelocity{Vec3(i == 0 ? 0.5 : -0.5, 0.0, 0.0), Vec3::Zero()};
  }
  Stepper stepper(setup.model, pushing());
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_FALSE(report.reason.empty());
}

}  // namespace
}  // namespace cardhouse
