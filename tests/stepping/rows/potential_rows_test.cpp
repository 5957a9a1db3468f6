#include "cardhouse/stepping/rows/potential_rows.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/model/derivative_check.h"
#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/time_stepping.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

/// V = k/2 d·diag(s)·d: any curvatures, any signs.
std::shared_ptr<const Potential> quadratic(const Vec3& stiffness) {
  return std::make_shared<UserPotential>(
      [stiffness](const VecX& d) { return 0.5 * d.dot(stiffness.cwiseProduct(d)); },
      [stiffness](const VecX& d, VecX& gradient) { gradient += stiffness.cwiseProduct(d); },
      [stiffness](const VecX&, MatX& hessian) { hessian += MatX(stiffness.asDiagonal()); });
}

PointPotential field(const Vec3& stiffness, bool implicit) {
  PointPotential given;
  given.potential = quadratic(stiffness);
  given.implicit = implicit;
  return given;
}

test::SmallModel one_box() {
  test::SmallModel setup;
  setup.add_box(Vec3(0.05, 0.05, 0.05), Vec3(0.3, -0.2, 0.5), 1000.0);  // 1 kg
  return setup;
}

StepSettings settings_with(double h) {
  StepSettings settings;
  settings.step = h;
  return settings;
}

TEST(PotentialRows, AnImplicitStepSolvesTheBackwardEulerEquation) {
  test::SmallModel setup = one_box();
  setup.model.gravity.setZero();
  setup.state.bodies[0].linear = Vec3(1.0, 2.0, -1.0);
  const Vec3 k(1e2, 1e5, 1e9);
  setup.model.potentials = {field(k, true)};
  const double h = 1e-2;
  const Vec3 x = setup.state.bodies[0].pose.position;
  const Vec3 v = setup.state.bodies[0].linear;
  TimeStepping stepping(setup.model, settings_with(h));
  ASSERT_TRUE(stepping.step(setup.model, setup.state).certified);
  for (int i = 0; i < 3; ++i) {
    // m (v⁺ − v) = −h k (x + h v⁺)
    const double expected = (v[i] - h * k[i] * x[i]) / (1.0 + h * h * k[i]);
    EXPECT_NEAR(setup.state.bodies[0].linear[i], expected, 1e-9 * (1.0 + std::abs(expected))) << i;
  }
}

TEST(PotentialRows, AStiffFieldIsStableAndRightAtRest) {
  test::SmallModel setup = one_box();
  setup.model.potentials = {field(Vec3::Constant(1e9), true)};
  TimeStepping stepping(setup.model, settings_with(1e-2));
  for (int step = 0; step < 200; ++step) ASSERT_TRUE(stepping.step(setup.model, setup.state).certified);
  EXPECT_NEAR(setup.state.bodies[0].pose.position.z(), -9.81 / 1e9, 1e-9 * 9.81 / 1e9);
}

TEST(PotentialRows, NegativeCurvatureIsLeftOutAndTold) {
  test::SmallModel setup = one_box();
  setup.model.gravity.setZero();
  setup.model.potentials = {field(Vec3(-50.0, 100.0, 200.0), true), field(Vec3(1.0, 2.0, 3.0), true)};
  TimeStepping stepping(setup.model, settings_with(1e-3));
  const Vec3 x = setup.state.bodies[0].pose.position;
  const StepReport& report = stepping.step(setup.model, setup.state);
  ASSERT_TRUE(report.certified);
  EXPECT_EQ(report.indefinite_potentials, 1);
  // Along x: the first is taken at the start, the second at the end.
  EXPECT_NEAR(setup.state.bodies[0].linear.x(), (1e-3 * 49.0 * x.x()) / (1.0 + 1e-6), 1e-12);
}

TEST(PotentialRows, ExplicitAndImplicitAgreeForShortSteps) {
  for (const double h : {1e-4, 1e-5}) {
    Vec3 velocity[2];
    for (const bool implicit : {false, true}) {
      test::SmallModel setup = one_box();
      const int other = setup.add_box(Vec3(0.05, 0.05, 0.05), Vec3(1.0, 0.0, 0.0));
      PointPotential given = field(Vec3(10.0, 20.0, 30.0), implicit);
      given.second = other;
      given.point_first = Vec3(0.05, 0.0, 0.0);
      given.point_second = Vec3(0.0, 0.05, 0.0);
      setup.model.potentials = {given};
      TimeStepping stepping(setup.model, settings_with(h));
      for (int step = 0; step < 100; ++step) stepping.step(setup.model, setup.state);
      velocity[implicit ? 1 : 0] = setup.state.bodies[0].angular;
    }
    EXPECT_LT((velocity[0] - velocity[1]).norm(), 3e2 * h * velocity[0].norm() + 1e-12) << h;
  }
}

TEST(PotentialRows, APotentialBetweenBodiesChangesNoMomentum) {
  test::SmallModel setup = one_box();
  const int other = setup.add_box(Vec3(0.1, 0.05, 0.05), Vec3(1.0, 0.0, 0.0));
  setup.model.gravity.setZero();
  for (const bool implicit : {false, true}) {
    PointPotential given;
    given.second = other;
    given.implicit = implicit;
    given.potential = std::make_shared<LinearSpring>(Coordinates{0, 3}, VecX::Zero(3), 50.0, 0.3);
    given.point_first = Vec3(0.05, 0.05, 0.0);
    EXPECT_LT(check_derivatives(*given.potential, Vec3(0.4, 0.2, 0.1)).hessian, 1e-7);
    setup.model.potentials = {given};
    TimeStepping stepping(setup.model, settings_with(1e-3));
    const Momentum before = momentum_of(setup.model, setup.state);
    Momentum outside;
    for (int step = 0; step < 100; ++step) outside += stepping.step(setup.model, setup.state).impulse;
    const Momentum after = momentum_of(setup.model, setup.state);
    EXPECT_LT((after.linear - before.linear).norm(), 1e-12);
    EXPECT_LT(outside.linear.norm(), 1e-12);
  }
}

TEST(PotentialRows, WhatIsMissingIsNamed) {
  test::SmallModel setup = one_box();
  setup.model.potentials = {PointPotential{}};
  EXPECT_THROW(check_model(setup.model, setup.state), InputError);
  setup.model.potentials[0] = field(Vec3::Ones(), true);
  EXPECT_NO_THROW(check_model(setup.model, setup.state));
  setup.model.potentials[0].second = 7;
  EXPECT_THROW(check_model(setup.model, setup.state), InputError);
}

}  // namespace
}  // namespace cardhouse
