#include "cardhouse/stepping/schemes/adaptive.h"

#include <algorithm>

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

StepSettings adaptive(Adaptive rule, double h, Restitution law = Restitution::newton) {
  StepSettings settings = settings_of(law, h);
  settings.adaptive = rule;
  return settings;
}

/// s: the end of the step that brings the ball to the floor.
double landing_time(SmallModel setup, const StepSettings& settings) {
  Stepper stepper(setup.model, settings);
  while (std::abs(height(setup.state)) > 1e-9 && setup.state.time < 10.0) stepper.step(setup.model, setup.state);
  return setup.state.time;
}

TEST(AdaptiveCollision, TheMoreauJeanSchemeFindsTheImpactOfAFallingBallExactly) {
  // Its positions are those of a parabola whatever the steps are.
  for (const double start : {0.1, 0.5, 2.0}) {
    StepSettings settings = adaptive(Adaptive::collision, 1e-2);
    settings.scheme = Scheme::moreau_jean;
    EXPECT_NEAR(landing_time(ball_over_floor(start, 0.5), settings), std::sqrt(2.0 * start / gravity), 1e-10);
  }
}

TEST(AdaptiveCollision, ImpactTimeAndApexConvergeWithTheFirstOrder) {
  const double exact = std::sqrt(2.0 * 0.5 / gravity);
  const double e = 0.8;
  std::vector<double> time_error;
  std::vector<double> apex_error;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const StepSettings settings = adaptive(Adaptive::collision, h, Restitution::impact);
    time_error.push_back(std::abs(landing_time(ball_over_floor(0.5, e), settings) - exact));
    apex_error.push_back(std::abs(apexes(ball_over_floor(0.5, e), settings, 1).at(1) - e * e * 0.5));
  }
  for (std::size_t i = 0; i + 1 < time_error.size(); ++i) {
    EXPECT_NEAR(time_error[i] / time_error[i + 1], 2.0, 0.15) << i;
    EXPECT_NEAR(apex_error[i] / apex_error[i + 1], 2.0, 0.3) << i;
  }
  EXPECT_NEAR(time_error.back(), 0.5 * 5e-4, 0.1 * 5e-4);  // q + h v⁺ is half a step ahead in free fall
}

TEST(AdaptiveCollision, TheBodyArrivesWithTheSpeedThatItCollidesWith) {
  SmallModel setup = ball_over_floor(0.05, 0.0);
  Stepper stepper(setup.model, adaptive(Adaptive::collision, 1e-2));
  while (height(setup.state) > 1e-9) stepper.step(setup.model, setup.state);
  EXPECT_NEAR(setup.state.bodies[1].linear.z(), -gravity * setup.state.time, 1e-9);
  EXPECT_NEAR(height(setup.state), 0.0, 1e-10);
}

TEST(AdaptiveCollision, ARunWithoutCollisionsTakesTheLargestSteps) {
  SmallModel setup = ball_over_floor(10.0, 0.5);
  Stepper stepper(setup.model, adaptive(Adaptive::collision, 1e-2));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stepper.step(setup.model, setup.state).length, 1e-2);
  EXPECT_NEAR(setup.state.time, 1.0, 1e-12);
  SmallModel resting;
  resting.add_floor();
  resting.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.1));
  Stepper other(resting.model, adaptive(Adaptive::collision, 1e-2));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.step(resting.model, resting.state).length, 1e-2);
}

TEST(AdaptiveCollision, MeetsAKinematicBodyWhereItWillBe) {
  SmallModel setup;
  setup.model.gravity.setZero();
  Body piston;
  piston.name = "piston";
  piston.mobility = Mobility::kinematic;
  piston.motion = ConstantVelocity{Vec3(5.0, 0.0, 0.0), Vec3::Zero()};
  piston.shapes.push_back({Box{Vec3(0.01, 0.1, 0.1)}, Pose{}, 0});
  setup.add(piston, {});
  setup.add_box(Vec3::Constant(0.01), Vec3(0.02 + 0.004, 0.0, 0.0));
  Stepper stepper(setup.model, adaptive(Adaptive::collision, 1e-2));
  EXPECT_NEAR(stepper.step(setup.model, setup.state).length, 8e-4, 1e-12);  // 4 mm at 5 m/s
}

TEST(AdaptiveCollision, NeverStepsShorterThanTheLeastStep) {
  StepSettings settings = adaptive(Adaptive::collision, 1e-2, Restitution::impact);
  settings.least_step = 1e-3;
  SmallModel setup = ball_over_floor(0.1, 0.5);  // ever smaller bounces
  Stepper stepper(setup.model, settings);
  for (int i = 0; i < 200; ++i) {
    EXPECT_GE(stepper.step(setup.model, setup.state).length, 1e-3);
    ASSERT_TRUE(stepper.report().certified);
  }
  EXPECT_NEAR(height(setup.state), 0.0, 1e-9);
}

TEST(AdaptiveCollision, BouncesEndUnderEveryLaw) {
  for (const Restitution law : all_laws) {
    for (const double h : {1e-2, 1e-3}) {
      SmallModel setup = ball_over_floor(0.1, 0.7);
      Stepper stepper(setup.model, adaptive(Adaptive::collision, h, law));
      int steps = 0;
      for (; setup.state.time < 3.0 && steps < 100000; ++steps) stepper.step(setup.model, setup.state);
      EXPECT_NEAR(height(setup.state), 0.0, 1e-9) << static_cast<int>(law) << " " << h;
      EXPECT_LT(steps, 3.5 / h) << static_cast<int>(law);  // few more than steps that are all the largest
    }
  }
}

/// Two light links that hang from the world and bear 1000 times their mass: the step can't follow their swing (h² K is
/// 120 times their inertia) and holds them by the force of the last step (stepping/rows/geometric_stiffness.h), also
/// where that was a thousandth as long.
TEST(AdaptiveCollision, LoadedLinksHangStillWhileABallBouncesBesideThem) {
  SmallModel setup = ball_over_floor(0.1, 0.9);
  const Vec3 hook(1.0, 0.0, 1.0);
  const auto below = [&](double depth) -> Vec3 { return hook - Vec3(0.0, 0.0, depth); };
  const int upper = setup.add_box(Vec3(0.01, 0.01, 0.05), below(0.05));
  const int lower = setup.add_box(Vec3(0.01, 0.01, 0.05), below(0.15));
  const int load = setup.add_box(Vec3::Constant(0.1), below(0.3), 1e4);
  const auto hang = [&](int first, int second, const Vec3& anchor) {
    Joint joint;
    joint.kind = JointKind::ball;
    joint.first = first;
    joint.second = second;
    place_joint(joint, setup.state, anchor, Vec3::UnitZ());
    setup.model.joints.push_back(joint);
  };
  hang(upper, -1, hook);
  hang(lower, upper, below(0.1));
  hang(load, lower, below(0.2));
  Stepper stepper(setup.model, adaptive(Adaptive::collision, 1e-2, Restitution::impact));
  stepper.step(setup.model, setup.state);  // the force is known from here on
  const double touch = 1e-9;               // m/s, where the links meet
  setup.state.bodies[upper].linear.x() = setup.state.bodies[lower].linear.x() = 0.5 * touch;
  setup.state.bodies[upper].angular.y() = -touch / 0.1;
  setup.state.bodies[lower].angular.y() = touch / 0.1;
  double fastest = 0.0;
  int shortest = 0;
  for (int i = 0; i < 400; ++i) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    ASSERT_TRUE(report.certified) << report.reason;
    shortest += report.length <= 1e-5 ? 1 : 0;
    fastest = std::max(fastest, setup.state.bodies[upper].angular.norm());
  }
  EXPECT_GE(shortest, 5) << "bounces";
  // Short steps follow the links' own swing, which for the same way is √120 times faster than the held one, and so
  // again when held speed becomes way. With the force of a shorter step every bounce would make it 120 times faster.
  EXPECT_LT(fastest, 200.0 * touch / 0.1);
}

TEST(AdaptiveError, ARunWithoutEventsTakesTheLargestSteps) {
  SmallModel resting;
  resting.add_floor();
  resting.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.1));
  Stepper stepper(resting.model, adaptive(Adaptive::error, 1e-2));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(stepper.step(resting.model, resting.state).length, 1e-2);
    EXPECT_EQ(stepper.report().rejected, 0);
  }
  SmallModel flying = ball_over_floor(1.0, 0.5);
  flying.model.gravity.setZero();
  flying.state.bodies[1].linear = Vec3(3.0, 0.0, 1.0);
  Stepper other(flying.model, adaptive(Adaptive::error, 1e-2));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(other.step(flying.model, flying.state).length, 1e-2);
}

TEST(AdaptiveError, EveryStepKeepsTheToleranceOrIsTheLeast) {
  SmallModel setup = ball_over_floor(0.2, 0.8);
  StepSettings settings = adaptive(Adaptive::error, 1e-2);
  settings.error_tolerance = 1e-5;
  const AdaptiveStep measure(setup.model, settings);
  Stepper stepper(setup.model, settings);
  int rejected = 0;
  double longest = 0.0;
  double time = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const State before = setup.state;
    const StepReport& report = stepper.step(setup.model, setup.state);
    ASSERT_TRUE(report.certified);
    rejected += report.rejected;
    longest = std::max(longest, report.length);
    time += report.length;
    EXPECT_EQ(setup.state.time, before.time + report.length);
    EXPECT_EQ(setup.state.step, before.step + 1);
    EXPECT_TRUE(measure.error(setup.model, before, setup.state, report.length) <= settings.error_tolerance ||
                report.length <= least_step(settings))
        << i;
  }
  EXPECT_GT(rejected, 0);
  EXPECT_GT(longest, 0.7 * std::sqrt(2.0 * settings.error_tolerance / gravity));  // g h²/2 = tolerance in free fall
}

TEST(AdaptiveError, AStepEndsAndTellsWhenNoLengthKeepsTheTolerance) {
  SmallModel setup = ball_over_floor(0.2, 0.8);
  StepSettings settings = adaptive(Adaptive::error, 1e6);
  settings.least_step = 1e-15;
  settings.error_tolerance = 1e-300;
  Stepper stepper(setup.model, settings);
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_EQ(report.length, 1e-15);
  EXPECT_TRUE(report.over_tolerance);
  EXPECT_LE(report.rejected, 100);
}

TEST(AdaptiveError, AStepWhoseTimeIsUpIsTheShortestAndTells) {
  StepSettings settings = adaptive(Adaptive::error, 1e6);
  settings.error_tolerance = 1e-300;
  SmallModel setup = ball_over_floor(0.2, 0.8);
  State state = setup.state;
  EXPECT_GT(Stepper(setup.model, settings).step(setup.model, state).rejected, 0);
  settings.max_step_seconds = 1e-12;
  Stepper stepper(setup.model, settings);
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_EQ(report.length, least_step(settings));
  EXPECT_TRUE(report.over_tolerance);
}

TEST(AdaptiveError, AStepEndsWhenItsErrorIsNotANumber) {
  SmallModel setup = ball_over_floor(0.2, 0.8);
  setup.model.callbacks.push_back([](const Model&, const State&, std::span<Wrench> wrenches) {
    wrenches[1].force.setConstant(std::numeric_limits<double>::quiet_NaN());
  });
  Stepper stepper(setup.model, adaptive(Adaptive::error, 1e-2));
  EXPECT_EQ(stepper.step(setup.model, setup.state).length, 1e-5);
}

TEST(AdaptiveError, AStepWithinTheToleranceIsNotToldAsBeyondIt) {
  SmallModel setup = ball_over_floor(0.2, 0.8);
  Stepper stepper(setup.model, adaptive(Adaptive::error, 1e-4));
  EXPECT_FALSE(stepper.step(setup.model, setup.state).over_tolerance);
}

TEST(AdaptiveError, TheApexConvergesWithTheRootOfTheTolerance) {
  const double e = 0.8;
  std::vector<double> error;
  for (const double tolerance : {1.6e-5, 4e-6, 1e-6}) {
    StepSettings settings = adaptive(Adaptive::error, 1e-2, Restitution::impact);
    settings.error_tolerance = tolerance;
    settings.least_step = 1e-7;
    error.push_back(std::abs(apexes(ball_over_floor(0.5, e), settings, 1).at(1) - e * e * 0.5));
  }
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.4);
  EXPECT_NEAR(error[1] / error[2], 2.0, 0.4);
  EXPECT_LT(error[2], 2e-3);
}

}  // namespace
}  // namespace cardhouse
