// Hard and soft contact of point masses and blocks, against what is known on paper (ETH contact mechanics slides).
#include "cardhouse/stepping/rows/soft_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/stepper.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

constexpr double gravity = 9.81;
constexpr double radius = 0.1;

/// A ball of 1 kg that does not turn, `gap` above the floor z = 0 whose normal leans by `angle` towards x.
SmallModel ball(double gap, double angle = 0.0, double mu = 0.5) {
  SmallModel setup;
  setup.model.materials[0].mu = mu;
  const int floor = setup.add_floor();
  setup.state.bodies[floor].pose.orientation = rotation_from_vector(Vec3(0.0, angle, 0.0));
  Body body;
  body.name = "ball";
  body.kind = BodyKind::particle;
  body.mass = 1.0;
  body.shapes.push_back({Sphere{radius}, Pose{}, 0});
  BodyState s;
  s.pose.position = (radius + gap) * Vec3(std::sin(angle), 0.0, std::cos(angle));
  setup.add(body, s);
  return setup;
}

StepSettings soft_settings(double h, double stiffness, int order = 1) {
  StepSettings settings;
  settings.step = h;
  settings.contact = ContactModel::soft;
  settings.soft.normal_stiffness = stiffness;
  settings.soft.order = order;
  return settings;
}

TEST(SoftContact, RestsWhereTheSpringCarriesTheWeight) {
  for (const int order : {1, 2}) {
    SmallModel setup = ball(0.0);
    run(setup, soft_settings(1e-2, 5000.0, order), 2000);
    // Numerical damping: ω² h/2 = 25/s (BDF1) and about ω⁴ h³/4 = 6/s (BDF2), for 20 s. What is left is the solver's
    // 1e-8.
    EXPECT_NEAR(setup.state.bodies[1].pose.position.z() - radius, -gravity / 5000.0, 1e-8 * radius);
  }
}

TEST(SoftContact, OneStepOfBdf1IsTheImplicitEulerStep) {
  const double h = 1e-2;
  const double k = 3000.0;
  const double z = -0.002;
  SmallModel setup = ball(z);
  setup.state.bodies[1].linear = Vec3(0.0, 0.0, -1.0);
  run(setup, soft_settings(h, k), 1);
  // (m + h² k) v⁺ = m v − h (m g + k z)
  const double v = (-1.0 - h * (gravity + k * z)) / (1.0 + h * h * k);
  EXPECT_NEAR(setup.state.bodies[1].linear.z(), v, 1e-10);
  EXPECT_NEAR(setup.state.bodies[1].pose.position.z() - radius, z + h * v, 1e-12);
}

TEST(SoftContact, OneStepOfBdf2IsTheTwoStepFormula) {
  const double h = 1e-2;
  const double k = 3000.0;
  SmallModel setup = ball(-0.002);
  setup.state.bodies[1].linear = Vec3(0.0, 0.0, -1.0);
  const StepSettings settings = soft_settings(h, k, 2);
  Stepper stepper(setup.model, settings);
  const auto at = [&] { return setup.state.bodies[1].pose.position.z() - radius; };
  const auto speed = [&] { return setup.state.bodies[1].linear.z(); };
  double x0 = at();
  double v0 = speed();
  stepper.step(setup.model, setup.state);
  for (int i = 0; i < 5; ++i) {
    const double x1 = at();
    const double v1 = speed();
    ASSERT_TRUE(stepper.step(setup.model, setup.state).certified);
    EXPECT_NEAR(1.5 * at() - 2.0 * x1 + 0.5 * x0, h * speed(), 1e-11);
    const double force = -gravity + k * std::max(0.0, -at());
    EXPECT_NEAR(1.5 * speed() - 2.0 * v1 + 0.5 * v0, h * force, 1e-9);
    ASSERT_EQ(stepper.contacts().size(), 1U);
    EXPECT_NEAR(-stepper.contacts()[0].impulse.z(), h * k * std::max(0.0, -at()), 1e-9);
    x0 = x1;
    v0 = v1;
  }
  EXPECT_EQ(setup.state.step, 6);
  EXPECT_NEAR(setup.state.time, 6.0 * h, 1e-15);
}

/// The speed with which a ball of 1 kg that came with 1 m/s leaves a floor of stiffness k, without gravity.
double bounce_speed(double h, double k, int order) {
  SmallModel setup = ball(0.0);
  setup.model.gravity.setZero();
  setup.state.bodies[1].linear = Vec3(0.0, 0.0, -1.0);
  const double contact_time = std::numbers::pi / std::sqrt(k);
  run(setup, soft_settings(h, k, order), static_cast<int>(1.2 * contact_time / h));
  return setup.state.bodies[1].linear.z();
}

TEST(SoftContact, ABounceLosesWhatTheIntegratorsDampingTakes) {
  // Half a swing of the frequency ω = √k: BDF1 damps amplitudes by ω² h/2 per second, so by exp(−π ω h/2) until it
  // leaves; BDF2 by ω⁴ h³/4 per second.
  const double k = 1e4;
  const double omega = std::sqrt(k);
  for (const double h : {2e-4, 1e-4}) {
    EXPECT_NEAR(bounce_speed(h, k, 1), std::exp(-0.5 * std::numbers::pi * omega * h),
                0.5 * omega * h * omega * h + 2e-4);
    EXPECT_NEAR(bounce_speed(h, k, 2), 1.0, 2.0 * omega * h * omega * h);
  }
  EXPECT_GT(bounce_speed(2e-4, k, 2), bounce_speed(2e-4, k, 1));
}

TEST(SoftContact, TendsToTheHardContactWithItsStiffness) {
  SmallModel hard = ball(0.05);
  StepSettings settings;
  settings.step = 1e-2;
  run(hard, settings, 100);
  EXPECT_NEAR(hard.state.bodies[1].pose.position.z(), radius, 1e-12);
  double last = 1.0;
  for (const double k : {1e4, 1e6, 1e8}) {
    SmallModel soft = ball(0.05);
    run(soft, soft_settings(1e-2, k), 100);
    const double off = std::abs(soft.state.bodies[1].pose.position.z() - radius);
    EXPECT_LT(off, 1.1 * gravity / k) << k;
    EXPECT_LT(off, last);
    last = off;
  }
}

TEST(HardContact, TheImpactLawOfTheSlidesTurnsTheVelocityRound) {
  // 0 ≤ λ ⊥ v⁺ + v⁻ ≥ 0: Newton's restitution with the coefficient 1.
  SmallModel setup = ball(0.0005);
  setup.model.gravity.setZero();
  setup.model.materials[0].restitution = 1.0;
  setup.state.bodies[1].linear = Vec3(0.0, 0.0, -1.0);
  StepSettings settings;
  settings.step = 1e-3;
  run(setup, settings, 3);
  EXPECT_NEAR(setup.state.bodies[1].linear.z(), 1.0, 1e-12);
}

Vec3 down_the_slope(double angle) {
  return {std::cos(angle), 0.0, -std::sin(angle)};
}

TEST(SoftContact, SticksOnAnInclineByItsAnchor) {
  const double angle = 0.3;
  for (const int order : {1, 2}) {
    // In balance along the normal. The spring overshoots to twice the pull: tan = 0.31 needs a mu of 0.62 to hold that.
    SmallModel setup = ball(-gravity * std::cos(angle) / 1e4, angle, 0.8);
    StepSettings settings = soft_settings(1e-2, 1e4, order);
    settings.soft.tangential_stiffness = 5e3;
    const Vec3 start = setup.state.bodies[1].pose.position;
    run(setup, settings, 1000);
    const Vec3 moved = setup.state.bodies[1].pose.position - start;
    const Vec3 normal(std::sin(angle), 0.0, std::cos(angle));
    EXPECT_NEAR(moved.dot(down_the_slope(angle)), gravity * std::sin(angle) / 5e3, 1e-9);
    EXPECT_NEAR(moved.dot(normal), 0.0, 1e-9);
    EXPECT_LT(setup.state.bodies[1].linear.norm(), 1e-9);  // it does not creep
  }
}

TEST(SoftContact, ByTheViscousRuleCreepsOnAnIncline) {
  const double angle = 0.3;
  SmallModel setup = ball(-gravity * std::cos(angle) / 1e4, angle, 0.5);  // in balance along the normal
  StepSettings settings = soft_settings(1e-3, 1e4);
  settings.soft.stick = StickRule::viscous;
  settings.soft.viscosity = 500.0;
  run(setup, settings, 1000);
  EXPECT_NEAR(setup.state.bodies[1].linear.dot(down_the_slope(angle)), gravity * std::sin(angle) / 500.0, 1e-9);
}

TEST(SoftContact, SlidesDownASteepInclineAsCoulombSays) {
  const double angle = 0.6;  // tan = 0.68 > mu
  const double mu = 0.4;
  for (const StickRule stick : {StickRule::anchored, StickRule::viscous}) {
    SmallModel setup = ball(-gravity * std::cos(angle) / 1e4, angle, mu);
    StepSettings settings = soft_settings(1e-3, 1e4);
    settings.soft.stick = stick;
    run(setup, settings, 1000);
    const double expected = gravity * (std::sin(angle) - mu * std::cos(angle));
    // Friction begins with the sliding: at the default viscosity, and with the anchor's spring of 1e4 N/m, it takes
    // some √(m/k) = 10 ms until it is there, of 1 s.
    EXPECT_NEAR(setup.state.bodies[1].linear.dot(down_the_slope(angle)), expected, 1e-2 * expected);
  }
}

TEST(SoftContact, ComesToRestWhereItStopsSlidingAndKeepsItsPlace) {
  const double mu = 0.5;
  SmallModel setup = ball(-gravity / 1e5, 0.0, mu);
  setup.state.bodies[1].linear = Vec3(1.0, 0.0, 0.0);
  run(setup, soft_settings(1e-3, 1e5), 3000);
  const double stopped = setup.state.bodies[1].pose.position.x();
  EXPECT_NEAR(stopped, 1.0 / (2.0 * mu * gravity), 2e-3);  // to v h and the spring's stretch
  run(setup, soft_settings(1e-3, 1e5), 3000);
  EXPECT_NEAR(setup.state.bodies[1].pose.position.x(), stopped, 1e-8);
}

TEST(SoftContact, ChoosesItsStiffnessFromTheModel) {
  const SmallModel setup = ball(0.0);
  const SoftContact soft = complete({}, setup.model);
  const double size = gravity / (1e-4 * soft.normal_stiffness);
  EXPECT_GT(size, 0.5 * radius);
  EXPECT_LT(size, 4.0 * radius);
  EXPECT_EQ(soft.tangential_stiffness, soft.normal_stiffness);
  SoftContact given;
  given.normal_stiffness = 7.0;
  given.tangential_stiffness = 3.0;
  EXPECT_EQ(complete(given, setup.model).normal_stiffness, 7.0);
  EXPECT_EQ(complete(given, setup.model).tangential_stiffness, 3.0);
}

TEST(SoftContact, HoldsAnchorsWhenASecondSearchIsNeeded) {
  // A body that another one hits hard is searched again: the anchors of the others must not move by that.
  SmallModel calm = ball(0.0, 0.3, 0.5);
  SmallModel busy = calm;
  for (SmallModel* setup : {&calm, &busy}) {
    // The flat box and the fast one that throws it are far from the ball.
    const int flat = setup->add_box(Vec3(0.05, 0.05, 0.05), Vec3(50.0, 0.0, 50.0));
    const int fast = setup->add_box(Vec3(0.05, 0.05, 0.05), Vec3(49.88, 0.0, 50.0));
    if (setup == &busy) setup->state.bodies[fast].linear = Vec3(200.0, 0.0, 0.0);
    (void)flat;
  }
  const StepSettings settings = soft_settings(1e-3, 1e4);
  run(calm, settings, 50);
  run(busy, settings, 50);
  EXPECT_EQ(calm.state.bodies[1].pose.position, busy.state.bodies[1].pose.position);
}

StepSettings soft_by_error(double largest, double stiffness, double tolerance) {
  StepSettings settings = soft_settings(largest, stiffness);
  settings.adaptive = Adaptive::error;
  settings.error_tolerance = tolerance;
  return settings;
}

TEST(SoftContactWithAdaptiveSteps, AnAnchorHoldsItsPlaceWhateverTheLengthsOfTheSteps) {
  const double angle = 0.3;
  SmallModel setup = ball(-gravity * std::cos(angle) / 1e4, angle, 0.8);
  StepSettings settings = soft_by_error(1e-2, 1e4, 1e-5);
  settings.soft.tangential_stiffness = 5e3;
  const Vec3 start = setup.state.bodies[1].pose.position;
  Stepper stepper(setup.model, settings);
  double shortest = 1.0;
  while (setup.state.time < 10.0) {
    ASSERT_TRUE(stepper.step(setup.model, setup.state).certified);
    shortest = std::min(shortest, stepper.report().length);
  }
  EXPECT_LT(shortest, 2e-3);  // it swings into its place
  EXPECT_EQ(stepper.report().length, 1e-2);
  const Vec3 moved = setup.state.bodies[1].pose.position - start;
  EXPECT_NEAR(moved.dot(down_the_slope(angle)), gravity * std::sin(angle) / 5e3, 1e-9);
}

TEST(SoftContactWithAdaptiveSteps, ABounceIsFollowedAsFinelyAsTheToleranceAsks) {
  const double k = 1e4;  // half a swing lasts 31 ms: three of the largest steps
  const auto left_with = [&](const StepSettings& settings) {
    SmallModel setup = ball(0.05);
    setup.model.gravity.setZero();
    setup.state.bodies[1].linear = Vec3(0.0, 0.0, -1.0);
    Stepper stepper(setup.model, settings);
    while (setup.state.time < 0.2) EXPECT_TRUE(stepper.step(setup.model, setup.state).certified);
    return setup.state.bodies[1].linear.z();
  };
  EXPECT_LT(left_with(soft_settings(1e-2, k)), 0.5);
  // The error h/2 (h ω v) of a step is at most the tolerance: h = √(2e-6/100) = 0.14 ms and more, and with it the loss
  // π ω h/2 of 2 % or some more.
  const double fine = left_with(soft_by_error(1e-2, k, 1e-6));
  EXPECT_LT(fine, 1.0);
  EXPECT_GT(fine, 0.95);
  EXPECT_LT(left_with(soft_by_error(1e-2, k, 1e-5)), fine);
}

TEST(SoftContactWithAdaptiveSteps, EndsAStepWhereTheContactCloses) {
  SmallModel setup = ball(0.005);
  setup.model.gravity.setZero();
  setup.model.materials[0].restitution = 0.5;  // no law of springs
  setup.state.bodies[1].linear = Vec3(0.0, 0.0, -1.0);
  StepSettings settings = soft_settings(1e-2, 1e4);
  settings.adaptive = Adaptive::collision;
  Stepper stepper(setup.model, settings);
  EXPECT_NEAR(stepper.step(setup.model, setup.state).length, 5e-3, 1e-8);
  EXPECT_EQ(stepper.step(setup.model, setup.state).length, 1e-2);
}

TEST(SoftContactWithAdaptiveSteps, GoesOnFromAnyStateBitForBit) {
  const StepSettings settings = soft_by_error(1e-2, 1e4, 1e-6);
  SmallModel setup = ball(0.001, 0.3);
  Stepper stepper(setup.model, settings);
  for (int i = 0; i < 60; ++i) stepper.step(setup.model, setup.state);
  State kept = setup.state;
  Stepper other(setup.model, settings);
  for (int i = 0; i < 60; ++i) {
    stepper.step(setup.model, setup.state);
    other.step(setup.model, kept);
  }
  EXPECT_EQ(kept.time, setup.state.time);
  EXPECT_EQ(kept.bodies[1].pose.position, setup.state.bodies[1].pose.position);
  EXPECT_EQ(kept.bodies[1].linear, setup.state.bodies[1].linear);
}

TEST(SoftContact, StoresInItsSpringsWhatABodyAtRestPressesThemWith) {
  const double angle = 0.3;
  for (const int order : {1, 2}) {
    SmallModel setup = ball(0.0, angle);
    StepSettings settings = soft_settings(1e-2, 1e5, order);  // damps within a few steps
    settings.soft.tangential_stiffness = 3e4;
    Stepper stepper(setup.model, settings);
    for (int i = 0; i < 1000; ++i) stepper.step(setup.model, setup.state);
    const double normal = gravity * std::cos(angle);
    const double across = gravity * std::sin(angle);
    const double expected = 0.5 * normal * normal / 1e5 + 0.5 * across * across / 3e4;
    EXPECT_NEAR(stepper.spring_energy(), expected, 1e-6 * expected) << order;  // the solver's 1e-8, and more
  }
}

TEST(SoftContact, ABounceKeepsItsEnergyInTheSpring) {
  // 1 kg from 0.1 m: at the deepest point all of the energy is the spring's. BDF2 loses a part of order (ω h)² = 1e-4.
  SmallModel setup = ball(0.1);
  Stepper stepper(setup.model, soft_settings(1e-4, 1e4, 2));
  const double start = energy_of(setup.model, setup.state).total();
  double most_stored = 0.0;
  double worst = 0.0;
  while (setup.state.time < 0.2) {
    stepper.step(setup.model, setup.state);
    most_stored = std::max(most_stored, stepper.spring_energy());
    worst = std::max(worst, std::abs(energy_of(setup.model, setup.state).total() + stepper.spring_energy() - start));
  }
  const double fall = gravity * 0.1;
  EXPECT_GT(most_stored, 0.99 * fall);
  EXPECT_LT(worst, 0.01 * fall);
}

TEST(SoftContact, HardContactsStoreNothing) {
  SmallModel setup = ball(0.0);
  Stepper stepper(setup.model, {});
  stepper.step(setup.model, setup.state);
  EXPECT_EQ(stepper.spring_energy(), 0.0);
}

}  // namespace
}  // namespace cardhouse
