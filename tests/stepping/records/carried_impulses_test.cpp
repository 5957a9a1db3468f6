#include "cardhouse/stepping/records/carried_impulses.h"

#include <gtest/gtest.h>

#include "cardhouse/stepping/schemes/stepper.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

TEST(CarriedImpulses, AreScaledInAllTheirParts) {
  State state;
  state.impulses = {{{0, 1, 0}, Vec3(1.0, 2.0, 3.0), Vec3(4.0, 5.0, 6.0)}};
  state.joints.resize(1);
  for (int i = 0; i < JointState::slots; ++i) state.joints[0].impulse[i] = i + 1.0;
  scale_impulses(state, 0.5);
  EXPECT_EQ(state.impulses[0].impulse, Vec3(0.5, 1.0, 1.5));
  EXPECT_EQ(state.impulses[0].turning, Vec3(2.0, 2.5, 3.0));
  for (int i = 0; i < JointState::slots; ++i) EXPECT_EQ(state.joints[0].impulse[i], 0.5 * (i + 1.0));
}

TEST(CarriedImpulses, OfRecordsAreScaledInAllTheirPartsAndNothingElse) {
  std::vector<ContactRecord> contacts(1);
  contacts[0].impulse = Vec3(1.0, 2.0, 3.0);
  contacts[0].turning = Vec3(4.0, 5.0, 6.0);
  contacts[0].velocity = Vec3(7.0, 8.0, 9.0);
  std::vector<JointRecord> joints(1);
  joints[0].impulse = Vec3(1.0, 2.0, 3.0);
  joints[0].torque = Vec3(4.0, 5.0, 6.0);
  joints[0].drive.fill(7.0);
  joints[0].coordinate.fill(8.0);
  scale_impulses(contacts, joints, 2.0);
  EXPECT_EQ(contacts[0].impulse, Vec3(2.0, 4.0, 6.0));
  EXPECT_EQ(contacts[0].turning, Vec3(8.0, 10.0, 12.0));
  EXPECT_EQ(contacts[0].velocity, Vec3(7.0, 8.0, 9.0));
  EXPECT_EQ(joints[0].impulse, Vec3(2.0, 4.0, 6.0));
  EXPECT_EQ(joints[0].torque, Vec3(8.0, 10.0, 12.0));
  for (const double drive : joints[0].drive) EXPECT_EQ(drive, 14.0);
  for (const double coordinate : joints[0].coordinate) EXPECT_EQ(coordinate, 8.0);
}

/// A light link that hangs from the world, with a load of a thousand times its mass at its lower end.
test::SmallModel loaded_link() {
  test::SmallModel setup;
  setup.add_box(Vec3(0.01, 0.01, 0.05), Vec3(0.0, 0.0, -0.05));
  setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, -0.2), 1e4);
  for (const int first : {0, 1}) {
    Joint joint;
    joint.kind = JointKind::ball;
    joint.first = first;
    joint.second = first - 1;
    place_joint(joint, setup.state, Vec3(0.0, 0.0, first == 0 ? 0.0 : -0.1), Vec3::UnitZ());
    setup.model.joints.push_back(joint);
  }
  return setup;
}

TEST(CarriedImpulses, OfAJointAreThoseOfAWholeStepWhateverTheLengthOfTheStepThatTheyWereFoundIn) {
  constexpr double whole = 1e-2;
  test::SmallModel setup = loaded_link();
  StepSettings settings;
  settings.step = whole;
  TimeStepping verbs(setup.model, settings);
  const double load = 9.81 * (setup.model.bodies[0].mass + setup.model.bodies[1].mass);
  for (const double part : {1.0, 0.001, 0.3, 1.0}) {
    const StepReport& report = step_of_length(part * whole, whole, plain_step, verbs, setup.model, setup.state);
    ASSERT_TRUE(report.certified) << report.reason;
    EXPECT_EQ(report.length, part * whole);
    Vec3 carried = Vec3::Zero();
    for (int n = 0; n < 3; ++n) carried[n] = setup.state.joints[0].impulse[n];
    // What hangs straight down and at rest pulls with its weight. A long step leaves joints off by some 1e-15 m, which
    // a step of 10 µs undoes with 1e-10 m/s, a millionth of what gravity gives it.
    EXPECT_NEAR(carried.norm(), load * whole, 1e-5 * load * whole) << part;
    EXPECT_NEAR(verbs.joints()[0].impulse.norm(), load * part * whole, 1e-5 * load * part * whole) << "of the step";
  }
}

/// The geometric stiffness must not depend on the length of the step before. Otherwise a long step after a short one
/// would take its joints for loose.
TEST(CarriedImpulses, GiveTheSameGeometricStiffnessAfterStepsOfAnyLength) {
  constexpr double whole = 1e-2;
  StepSettings settings;
  settings.step = whole;
  std::vector<double> inertia;
  for (const double part : {1.0, 1e-3}) {
    test::SmallModel setup = loaded_link();
    TimeStepping verbs(setup.model, settings);
    step_of_length(part * whole, whole, plain_step, verbs, setup.model, setup.state);
    verbs.set_step(whole);
    verbs.begin(setup.state);
    verbs.predict(setup.model, setup.state);
    inertia.push_back(verbs.predictions()[0].block_inertia(0, 0));
  }
  const double arm = 0.05;
  const double load = 9.81 * loaded_link().model.bodies[1].mass;
  EXPECT_GT(inertia[0], whole * whole * load * arm) << "the link is one whose swing the step can't follow";
  EXPECT_NEAR(inertia[1], inertia[0], 1e-6 * inertia[0]);  // the link's own weight apart, and the solve's tolerance
}

}  // namespace
}  // namespace cardhouse
