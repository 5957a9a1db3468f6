#include "cardhouse/stepping/records/outside_work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/stepper.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

/// J, of a run_balance.
struct Balance {
  double work = 0.0;    ///< done from outside
  double gained = 0.0;  ///< of energy
  double dissipated() const { return work - gained; }
};

Balance run_balance(SmallModel& setup, int steps, StepSettings settings = {}) {
  update_joints(setup.model, setup.state);
  Stepper stepper(setup.model, settings);
  Balance balance;
  balance.gained = -energy_of(setup.model, setup.state).total();
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(setup.model, setup.state);
    EXPECT_TRUE(report.certified) << report.reason;
    balance.work += report.work;
  }
  balance.gained += energy_of(setup.model, setup.state).total();
  return balance;
}

Body lift(const Vec3& velocity) {
  Body body;
  body.name = "lift";
  body.mobility = Mobility::kinematic;
  body.motion = ConstantVelocity{velocity, Vec3::Zero()};
  body.shapes.push_back({Box{Vec3(1.0, 1.0, 0.1)}, Pose{}, 0});
  return body;
}

TEST(OutsideWork, ALiftDoesWhatItsLoadGains) {
  SmallModel setup;
  setup.add(lift(Vec3(0.0, 0.0, 0.5)), {});
  const int box = setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.2));
  setup.state.bodies[box].linear.z() = 0.5;
  const Balance balance = run_balance(setup, 400);
  EXPECT_NEAR(balance.work, setup.model.bodies[box].mass * 9.81 * 0.5 * 0.4, 1e-6);
  EXPECT_NEAR(balance.dissipated(), 0.0, 1e-6);
}

TEST(OutsideWork, ABeltThatSlidesDissipatesAllItDoesOnWhatIsHeld) {
  SmallModel setup;
  setup.add(lift(Vec3(0.5, 0.0, 0.0)), {});
  const int box = setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.2));
  Joint rail;
  rail.kind = JointKind::slider;
  rail.first = box;
  rail.second = -1;
  place_joint(rail, setup.state, Vec3(0.0, 0.0, 0.2), Vec3::UnitZ());
  setup.model.joints.push_back(rail);
  const Balance balance = run_balance(setup, 200);
  const double friction = setup.model.materials[0].mu * setup.model.bodies[box].mass * 9.81;
  EXPECT_NEAR(balance.dissipated(), friction * 0.5 * 0.2, 1e-3 * friction);
  EXPECT_NEAR(balance.gained, 0.0, 1e-9);
}

TEST(OutsideWork, AMotorThatSwingsAPendulumDissipatesNothing) {
  SmallModel setup;
  const int rod = setup.add_box(Vec3(0.02, 0.02, 0.2), Vec3(0.0, 0.0, -0.2));
  Joint hinge;
  hinge.kind = JointKind::hinge;
  hinge.first = rod;
  hinge.second = -1;
  place_joint(hinge, setup.state, Vec3::Zero(), Vec3::UnitY());
  hinge.drives[0].motor = JointMotor{.target = JointMotor::Target::velocity, .value = 100.0, .max_force = 1.0};
  setup.model.joints.push_back(hinge);
  const Balance balance = run_balance(setup, 400);
  EXPECT_GT(std::abs(balance.gained), 0.5);
  EXPECT_NEAR(balance.work, balance.gained, 0.02 * std::abs(balance.gained));  // of order h
}

TEST(OutsideWork, ForcesOfTheCallerAndTorquesCountWithTheirWay) {
  for (const Scheme scheme : {Scheme::stewart_trinkle, Scheme::moreau_jean}) {
    SmallModel setup;
    setup.model.gravity.setZero();
    const int box = setup.add_box(Vec3::Constant(0.1), Vec3::Zero());
    setup.model.bodies[box].torque = Vec3(0.0, 0.0, 0.2);
    setup.model.callbacks.push_back(
        [box](const Model&, const State&, std::span<Wrench> wrenches) { wrenches[box].force += Vec3(3.0, 0.0, 0.0); });
    StepSettings settings;
    settings.scheme = scheme;
    const Balance balance = run_balance(setup, 500, settings);
    const Pose& end = setup.state.bodies[box].pose;
    const double way = 3.0 * end.position.x() + 0.2 * vector_from_rotation(end.orientation).z();
    EXPECT_NEAR(balance.work, way, 1e-9);
    EXPECT_NEAR(balance.work, balance.gained, 0.005 * balance.gained);
  }
}

TEST(OutsideWork, ALiftWithSoftContactsOfOrderTwoDoesSoToo) {
  SmallModel setup;
  setup.add(lift(Vec3(0.0, 0.0, 0.5)), {});
  const int box = setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.2));
  setup.state.bodies[box].linear.z() = 0.5;
  StepSettings settings;
  settings.contact = ContactModel::soft;
  settings.soft.order = 2;
  const Balance balance = run_balance(setup, 400, settings);
  EXPECT_NEAR(balance.work, balance.gained, 0.02 * balance.gained);
}

/// A body that is moved pulls another one along by a spring: what it does is what is gained, but for the step's own
/// loss.
TEST(OutsideWork, PrescribedMotionsWorkThroughSpringsAndDampers) {
  for (const double damping : {0.0, 2.0}) {
    SmallModel setup;
    setup.model.gravity.setZero();
    Body carriage = lift(Vec3(1.0, 0.0, 0.0));
    carriage.shapes.clear();
    const int moved = setup.add(carriage, {});
    const int box = setup.add_box(Vec3::Constant(0.05), Vec3(-1.0, 0.0, 0.0));
    setup.model.springs.push_back(
        {.first = moved, .second = box, .stiffness = 100.0, .rest_length = 1.0, .damping = damping});
    StepSettings settings;
    settings.step = 2.5e-4;
    const Balance balance = run_balance(setup, 4000, settings);
    EXPECT_GT(balance.gained, 0.1);
    if (damping > 0.0) {
      EXPECT_GT(balance.dissipated(), 0.01 * balance.gained);  // a damper takes, whatever the frame
    } else {
      EXPECT_NEAR(balance.work, balance.gained, 0.01 * balance.gained);  // of order h
    }
  }
}

/// A rod hinged to a carriage that drives into a wall, or the wall into a rod whose hinge rests: one motion in two
/// frames. What is dissipated is the same, under each law of restitution.
TEST(OutsideWork, IsDissipationTheSameInEveryFrame) {
  for (const Restitution law : {Restitution::newton, Restitution::poisson}) {
    double dissipated[2] = {0.0, 0.0};
    for (const bool wall_moves : {false, true}) {
      SmallModel setup;
      setup.model.gravity.setZero();
      setup.model.materials[0].restitution = 0.5;
      setup.model.materials[0].mu = 0.0;
      Body carriage = lift(Vec3(wall_moves ? 0.0 : 1.0, 0.0, 0.0));
      carriage.shapes.clear();
      const int pivot = setup.add(carriage, {});
      Body wall = lift(Vec3(wall_moves ? -1.0 : 0.0, 0.0, 0.0));
      BodyState beside;
      beside.pose.position = Vec3(1.07, 0.0, -1.25);
      setup.add(wall, beside);
      const int rod = setup.add_box(Vec3(0.02, 0.02, 0.6), Vec3(0.0, 0.0, -0.6));
      setup.state.bodies[rod].linear.x() = wall_moves ? 0.0 : 1.0;
      Joint hinge;
      hinge.kind = JointKind::hinge;
      hinge.first = rod;
      hinge.second = pivot;
      place_joint(hinge, setup.state, Vec3::Zero(), Vec3::UnitY());
      setup.model.joints.push_back(hinge);
      StepSettings settings;
      settings.step = 5e-4;
      settings.restitution = law;
      dissipated[wall_moves ? 1 : 0] = run_balance(setup, 200, settings).dissipated();
    }
    EXPECT_GT(dissipated[0], 0.01);
    EXPECT_NEAR(dissipated[0], dissipated[1], 1e-6 * dissipated[0]);
  }
}

TEST(OutsideWork, WhatMayWorkFromOutsideIsKnown) {
  SmallModel setup;
  setup.add_floor();
  setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.2));
  EXPECT_FALSE(works_from_outside(setup.model));
  SmallModel lifted = setup;
  lifted.add(lift(Vec3::UnitX()), {});
  EXPECT_TRUE(works_from_outside(lifted.model));
  SmallModel turned = setup;
  turned.model.bodies[1].torque.x() = 1.0;
  EXPECT_TRUE(works_from_outside(turned.model));
}

}  // namespace
}  // namespace cardhouse
