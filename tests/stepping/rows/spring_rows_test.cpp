#include "cardhouse/stepping/rows/spring_rows.h"

#include <gtest/gtest.h>

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/stepper.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

int add_ball(SmallModel& setup, double radius, const Vec3& position) {
  Body body;
  body.name = "ball";
  body.shapes.push_back({Sphere{radius}, Pose{}, 0});
  BodyState s;
  s.pose.position = position;
  set_density(body, s, 1000.0);
  return setup.add(body, s);
}

/// A spring from the world's point `anchor` to the centre of a body.
Spring tether(int body, const Vec3& anchor, double stiffness, double rest_length = 0.0) {
  Spring spring;
  spring.first = body;
  spring.point_second = anchor;
  spring.stiffness = stiffness;
  spring.rest_length = rest_length;
  spring.implicit = true;
  return spring;
}

StepSettings steps_of(double h) {
  StepSettings settings;
  settings.step = h;
  return settings;
}

void take_steps(SmallModel& setup, const StepSettings& settings, int steps) {
  Stepper stepper(setup.model, settings);
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(stepper.step(setup.model, setup.state).certified) << "step " << i;
  }
}

TEST(SpringRows, HoldsAKilogramByAStiffnessThatNoExplicitStepCouldTake) {
  SmallModel setup;
  const int ball = add_ball(setup, 0.05, Vec3::Zero());
  setup.model.bodies[ball].mass = 1.0;
  setup.model.springs.push_back(tether(ball, Vec3::Zero(), 1e9));
  take_steps(setup, steps_of(1e-2), 100);
  const double sag = 9.81 / 1e9;
  EXPECT_NEAR(setup.state.bodies[ball].pose.position.z(), -sag, 1e-9 * sag);
  EXPECT_LE(setup.state.bodies[ball].linear.norm(), 1e-9 * sag / 1e-2);
}

TEST(SpringRows, HoldsItAtARestLengthToo) {
  SmallModel setup;
  const int ball = add_ball(setup, 0.05, Vec3(0.0, 0.0, -1.0));
  setup.model.bodies[ball].mass = 1.0;
  setup.model.springs.push_back(tether(ball, Vec3::Zero(), 1e9, 1.0));
  take_steps(setup, steps_of(1e-2), 200);
  // Positions near 1 m have round-off of 1e-16 m.
  EXPECT_NEAR(setup.state.bodies[ball].pose.position.z(), -1.0 - 9.81 / 1e9, 1e-15);
}

/// Implicit Euler: v' = (v − h k x/m)/(1 + h d/m + h² k/m), x' = x + h v'.
TEST(SpringRows, IsImplicitEulerAlongTheSpring) {
  constexpr double m = 0.5;
  constexpr double k = 700.0;
  constexpr double d = 3.0;
  constexpr double h = 5e-3;
  SmallModel setup;
  setup.model.gravity.setZero();
  const int ball = add_ball(setup, 0.05, Vec3(1.2, 0.0, 0.0));
  setup.model.bodies[ball].mass = m;
  Spring spring = tether(ball, Vec3::Zero(), k, 1.0);
  spring.damping = d;
  setup.model.springs.push_back(spring);
  double x = 0.2;
  double v = 0.0;
  StepSettings settings = steps_of(h);
  Stepper stepper(setup.model, settings);
  for (int i = 0; i < 50; ++i) {
    stepper.step(setup.model, setup.state);
    v = (v - h * k * x / m) / (1.0 + h * d / m + h * h * k / m);
    x += h * v;
    ASSERT_NEAR(setup.state.bodies[ball].pose.position.x(), 1.0 + x, 1e-12) << i;  // fifty steps' round-off
  }
}

TEST(SpringRows, KeepsMomentumBetweenTwoBodiesThatTumble) {
  SmallModel setup;
  setup.model.gravity.setZero();
  const int one = setup.add_box(Vec3(0.1, 0.2, 0.3), Vec3::Zero());
  const int other = setup.add_box(Vec3(0.2, 0.1, 0.1), Vec3(1.5, 0.2, 0.1));
  setup.state.bodies[one].angular = Vec3(1.0, 2.0, -1.0);
  setup.state.bodies[other].linear = Vec3(0.5, -1.0, 0.3);
  Spring spring;
  spring.first = one;
  spring.second = other;
  spring.point_first = Vec3(0.1, 0.2, -0.3);
  spring.point_second = Vec3(-0.2, 0.1, 0.1);
  spring.stiffness = 1e6;
  spring.rest_length = 1.0;
  spring.implicit = true;
  setup.model.springs.push_back(spring);
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < setup.model.bodies.size(); ++i) {
      sum += setup.model.bodies[i].mass * setup.state.bodies[i].linear;
    }
    return sum;
  };
  const Vec3 before = momentum();
  take_steps(setup, steps_of(1e-2), 200);
  EXPECT_LE((momentum() - before).norm(), 1e-10 * before.norm());  // round-off of impulses of some kN s
}

/// Without the rows across the spring a pendulum on a stiff one would gain energy until it flies apart.
TEST(SpringRows, TurnsWithItsEnds) {
  SmallModel setup;
  const int ball = add_ball(setup, 0.02, Vec3(1.0, 0.0, 0.0));
  setup.model.springs.push_back(tether(ball, Vec3::Zero(), 1e8, 0.5));
  const double start = energy_of(setup.model, setup.state).total();
  double lowest = 0.0;
  for (int step = 0; step < 500; ++step) {
    take_steps(setup, steps_of(1e-2), 1);
    const Vec3& place = setup.state.bodies[ball].pose.position;
    lowest = std::min(lowest, place.z());
    EXPECT_NEAR(place.norm(), 0.5, step > 10 ? 0.01 : 0.5) << step;
    EXPECT_LE(energy_of(setup.model, setup.state).total(), start);
  }
  EXPECT_LT(lowest, -0.4) << "m: it falls to below its anchor";
}

TEST(SpringRows, StandBesideContactsInOneProblem) {
  // A ball on a floor, pulled sideways by a spring: friction holds it up to mu m g.
  for (const double ratio : {0.9, 1.1}) {
    SmallModel setup;
    setup.add_floor();
    const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1));
    setup.model.materials[0].mu = 0.5;
    const double weight = 9.81 * setup.model.bodies[box].mass;
    Spring spring = tether(box, Vec3(2.0, 0.0, 0.0), 1e7, 0.0);
    spring.point_first = Vec3(0.0, 0.0, -0.1);
    spring.rest_length = 2.0 - ratio * 0.5 * weight / spring.stiffness;
    setup.model.springs.push_back(spring);
    take_steps(setup, steps_of(1e-2), 50);
    const double moved = setup.state.bodies[box].pose.position.x();
    if (ratio < 1.0) {
      EXPECT_LE(std::abs(moved), 1e-12);
    } else {
      EXPECT_NEAR(moved, (ratio - 1.0) * 0.5 * weight / spring.stiffness, 1e-3 * 0.5 * weight / spring.stiffness);
    }
  }
}

}  // namespace
}  // namespace cardhouse
