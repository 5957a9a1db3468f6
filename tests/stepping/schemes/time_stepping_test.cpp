#include "cardhouse/stepping/schemes/time_stepping.h"

#include <gtest/gtest.h>

#include <limits>

#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

Body fixed_plate(const Vec3& half) {
  Body body;
  body.name = "plate";
  body.mobility = Mobility::fixed;
  body.shapes.push_back({Box{half}, Pose{}, 0});
  return body;
}

/// Steps until the time is over; every step must be certified.
void run_steps(SmallModel& setup, int steps, double h = 1e-3) {
  StepSettings settings;
  settings.step = h;
  TimeStepping stepper(setup.model, settings);
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    ASSERT_TRUE(report.certified) << "step " << i << ": " << report.reason;
  }
}

TEST(TimeStepping, StopsABodyThatIsThrownAgainstAThinPlateWithinTheStep) {
  SmallModel setup;
  setup.model.gravity.setZero();
  BodyState s;
  s.pose.position = Vec3(0.005, 0.0, 0.0);  // 4 mm thick, its face 1 mm in front of the small cube
  setup.add(fixed_plate(Vec3(0.002, 1.0, 1.0)), s);
  const int small = setup.add_box(Vec3(0.01, 0.01, 0.01), Vec3(-0.008, 0.0, 0.0));
  const int fast = setup.add_box(Vec3(0.05, 0.05, 0.05), Vec3(-0.0681 - 0.02, 0.0, 0.0));
  setup.state.bodies[fast].linear = Vec3(30.0, 0.0, 0.0);  // 30 mm in a step
  run_steps(setup, 20);
  EXPECT_LE(setup.state.bodies[small].pose.position.x(), -0.007 + 1e-9);
  EXPECT_LE(setup.state.bodies[small].linear.x(), 1e-9);
}

TEST(TimeStepping, StopsABodyThatASpringPullsToTheFloor) {
  SmallModel setup;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.05, 0.05, 0.05), Vec3(0.0, 0.0, 0.06));
  Spring spring;
  spring.first = 0;
  spring.second = box;
  spring.point_first = Vec3(0.0, 0.0, -1.0);
  spring.stiffness = 1e6;
  setup.model.springs.push_back(spring);
  run_steps(setup, 20);
  EXPECT_GE(setup.state.bodies[box].pose.position.z(), 0.05 - 1e-9);
}

TEST(TimeStepping, PushesWhatAKinematicBodyMeetsInItsFirstStep) {
  SmallModel setup;
  setup.model.gravity.setZero();
  Body piston = fixed_plate(Vec3(0.01, 0.1, 0.1));
  piston.mobility = Mobility::kinematic;
  piston.motion = ConstantVelocity{Vec3(5.0, 0.0, 0.0), Vec3::Zero()};
  setup.add(piston, {});
  const int box = setup.add_box(Vec3(0.01, 0.01, 0.01), Vec3(0.022, 0.0, 0.0));  // 2 mm in front, 5 mm in a step
  run_steps(setup, 10);
  EXPECT_NEAR(setup.state.bodies[box].linear.x(), 5.0, 1e-6);
  EXPECT_GE(setup.state.bodies[box].pose.position.x() - setup.state.bodies[0].pose.position.x(), 0.02 - 1e-9);
}

TEST(TimeStepping, CertifiesNoMotionThatIsNotFinite) {
  SmallModel setup;
  const int box = setup.add_box(Vec3(0.01, 0.01, 0.01), Vec3::Zero());
  setup.model.callbacks.push_back([box](const Model&, const State&, std::span<Wrench> wrenches) {
    wrenches[box].force.x() = std::numeric_limits<double>::quiet_NaN();
  });
  TimeStepping stepper(setup.model, {});
  for (int i = 0; i < 3; ++i) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    EXPECT_FALSE(report.certified);
    EXPECT_NE(report.reason.find("not finite"), std::string::npos) << report.reason;
  }
}

TEST(TimeStepping, SaysWhenABodySpinsTooFastForTheStep) {
  SmallModel setup;
  const int box = setup.add_box(Vec3(0.01, 0.03, 0.07), Vec3::Zero());
  setup.state.bodies[box].angular = Vec3(100.0, 2000.0, 300.0);  // 2 rad in a step
  TimeStepping stepper(setup.model, {});
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_FALSE(report.certified);
  EXPECT_NE(report.reason.find("too fast"), std::string::npos) << report.reason;
}

}  // namespace
}  // namespace cardhouse
