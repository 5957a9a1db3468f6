#include <gtest/gtest.h>

#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {
namespace {

Body brick(BodyKind kind) {
  Body body;
  body.name = "brick";
  body.kind = kind;
  body.mass = 2.0;
  body.inertia = Vec3(1.0, 2.0, 2.5).asDiagonal();
  return body;
}

BodyState turning(BodyKind kind) {
  BodyState s;
  s.pose.position = Vec3(0.3, 0.0, 0.1);
  s.linear = Vec3(1.0, 0.0, -2.0);
  if (kind == BodyKind::planar) s.angular = Vec3(0.0, 20.0, 0.0);
  if (kind == BodyKind::spatial) {
    s.pose.orientation = rotation_from_vector(Vec3(0.3, -0.2, 0.7));
    s.angular = Vec3(3.0, 20.0, -7.0);
  }
  return s;
}

/// K⁺ − K = p·V + t·W, and points move by h (V + W × the mean of their arms).
TEST(MeanStep, ChangesTheKineticEnergyByTheWorkOfThePush) {
  constexpr double h = 1e-2;
  for (const BodyKind kind : {BodyKind::spatial, BodyKind::planar, BodyKind::particle}) {
    const Body body = brick(kind);
    const BodyEquations& equations = equations_of(body);
    const BodyState start = turning(kind);
    Push push;
    push.linear = Vec3(0.4, 0.0, 1.2);
    if (kind == BodyKind::planar) push.angular = Vec3(0.0, 3.0, 0.0);
    if (kind == BodyKind::spatial) push.angular = Vec3(1.0, -3.0, 2.0);
    Prediction free;
    equations.predict(body, start, Wrench{}, StepRule{h}, free);
    const MeanStep step = equations.mean_step(body, start, free, push, h);
    ASSERT_TRUE(step.converged);
    const double before = equations.kinetic_energy(body, start);
    const double after = equations.kinetic_energy(body, step.end);
    EXPECT_NEAR(after - before, push.linear.dot(step.linear) + push.angular.dot(step.angular), 1e-12 * before);
    const Vec3 arm = start.pose.orientation * Vec3(0.2, 0.1, -0.3);
    const Vec3 arm_after = step.end.pose.orientation * Vec3(0.2, 0.1, -0.3);
    const Vec3 moved = step.end.pose.position + arm_after - start.pose.position - arm;
    EXPECT_LE((moved - h * point_velocity(step, 0.5 * (arm + arm_after))).norm(), 1e-14);
  }
}

/// The problem of mean velocities, solved for the push that it was linearised at, leads back to it.
TEST(MeanStep, HasAProblemThatKnowsItsPush) {
  constexpr double h = 1e-3;
  const Body body = brick(BodyKind::spatial);
  const BodyEquations& equations = equations_of(body);
  const BodyState start = turning(BodyKind::spatial);
  const Push push{Vec3(0.4, 0.1, 1.2), Vec3(1.0, -3.0, 2.0)};
  Prediction free;
  equations.predict(body, start, Wrench{}, StepRule{h}, free);
  const MeanStep step = equations.mean_step(body, start, free, push, h);
  const Prediction mean = equations.predict_mean(body, start, free, step, push);
  const Push again = equations.push_of(body, mean, {step.linear, step.angular});
  EXPECT_LE((again.linear - push.linear).norm(), 1e-12);
  EXPECT_LE((again.angular - push.angular).norm(), 1e-12);
}

}  // namespace
}  // namespace cardhouse
