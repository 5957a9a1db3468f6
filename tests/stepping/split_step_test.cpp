#include "cardhouse/stepping/split_step.h"

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double h = 0.01;

/// The longest step that the integrator below certifies.
double longest_certified = 0.0;
bool only_hard = true;
int steps_taken = 0;
StepReport told;

/// The two-step scheme, whose longer steps count as too hard.
const StepReport& certified_when_short(TwoStep& verbs, const Model& model, State& state) {
  ++steps_taken;
  told = verbs.step(model, state);
  told.iterations = 1;
  told.certified = verbs.settings().step <= longest_certified;
  told.hard = !told.certified && only_hard;
  if (!told.certified) told.reason = "too long";
  return told;
}

/// A ball that falls from 1 mm onto the floor within the step.
struct Fall {
  explicit Fall(double longest) : setup(ball_over_floor(1e-3, 0.0)), state(setup.state) {
    longest_certified = longest;
    steps_taken = 0;
    state.bodies[1].linear.z() = -0.2;
    start = state;
    report = split.take(certified_when_short, verbs, setup.model, state);
  }

  SmallModel setup;
  TwoStep verbs{setup.model, settings_of_length(h)};
  SplitStep split;
  State state, start;
  StepReport report;

  static StepSettings settings_of_length(double length) {
    StepSettings settings;
    settings.step = length;
    return settings;
  }
};

TEST(SplitStep, TakesAStepWholeWhereThatIsCertified) {
  Fall fall(h);
  EXPECT_EQ(steps_taken, 1);
  EXPECT_EQ(fall.report.parts, 1);
  EXPECT_TRUE(fall.report.certified);
  EXPECT_TRUE(fall.report.warning.empty());
}

TEST(SplitStep, HalvesPartsUntilTheyAreCertified) {
  Fall fall(h / 4.0);
  EXPECT_EQ(fall.report.parts, 4);
  EXPECT_TRUE(fall.report.certified);
  EXPECT_EQ(steps_taken, 1 + 1 + 4 + 1) << "whole, half, four quarters, and after two of them half again";
  EXPECT_EQ(fall.report.iterations, steps_taken) << "what was tried in vain costs too";
  EXPECT_EQ(fall.report.length, h);
  EXPECT_NE(fall.report.warning.find("in 4 parts"), std::string::npos) << fall.report.warning;
  EXPECT_EQ(fall.verbs.settings().step, h) << "the next step is whole again";

  TwoStep short_steps(fall.setup.model, Fall::settings_of_length(h / 4.0));
  State expected = fall.start;
  for (int part = 0; part < 4; ++part) short_steps.step(fall.setup.model, expected);
  EXPECT_EQ(fall.state.bodies[1].pose.position, expected.bodies[1].pose.position);
  EXPECT_EQ(fall.state.bodies[1].linear, expected.bodies[1].linear);
  EXPECT_EQ(fall.state.step, fall.start.step + 1);
  EXPECT_EQ(fall.state.time, fall.start.time + h);
}

TEST(SplitStep, TellsImpulsesOverTheWholeStep) {
  Fall fall(h / 8.0);
  ASSERT_EQ(fall.report.parts, 8);
  ASSERT_EQ(fall.split.contacts().size(), 1u);
  // The ball came to rest in an earlier part; in the last one its weight of 1 kg pushes the floor.
  EXPECT_NEAR(fall.split.contacts()[0].impulse.z(), -gravity * h, 1e-12);
  ASSERT_EQ(fall.state.impulses.size(), 1u);
  EXPECT_NEAR(fall.state.impulses[0].impulse.z(), -gravity * h, 1e-12) << "the next step's guess";
}

TEST(SplitStep, WhatIsNeverCertifiedStaysWhole) {
  Fall fall(0.0);
  EXPECT_FALSE(fall.report.certified);
  EXPECT_EQ(fall.report.parts, 1);
  EXPECT_EQ(fall.report.reason, "too long");
  EXPECT_EQ(steps_taken, 1 + 5 + 1) << "whole, halved down to a 32nd, whole with hairlines closed";
  TwoStep whole(fall.setup.model, Fall::settings_of_length(h));
  State expected = fall.start;
  whole.step(fall.setup.model, expected);
  EXPECT_EQ(fall.state.bodies[1].pose.position, expected.bodies[1].pose.position);
  EXPECT_EQ(fall.state.time, expected.time);
}

TEST(SplitStep, WhatIsNotOnlyHardStaysWhole) {
  only_hard = false;
  Fall fall(h / 4.0);
  only_hard = true;
  EXPECT_EQ(steps_taken, 1) << "shorter steps make no infeasible problem feasible, and cost time that has run out";
  EXPECT_FALSE(fall.report.certified);
}

TEST(SplitStep, ASpinTooFastForTheStepIsNoHardProblem) {
  SmallModel setup = ball_over_floor(1.0, 0.0);
  setup.add_box(Vec3(0.1, 0.2, 0.3), Vec3(0.0, 0.0, 5.0));
  setup.state.bodies[2].angular = Vec3(1500.0, 1000.0, 1000.0);
  Stepper stepper(setup.model, Fall::settings_of_length(h));
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_FALSE(report.hard);
  EXPECT_EQ(report.parts, 1);
}

TEST(SplitStep, OfAnotherSolverThanAutoStepsStayWhole) {
  SmallModel setup = ball_over_floor(1e-3, 0.0);
  StepSettings settings = Fall::settings_of_length(h);
  settings.solver = "gauss-seidel";
  settings.max_iterations = 0;  // so that it gives up
  setup.state.bodies[1].linear.z() = -0.2;
  Stepper stepper(setup.model, settings);
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_EQ(report.parts, 1);
}

}  // namespace
}  // namespace cardhouse
