#include "cardhouse/stepping/schemes/energy_momentum.h"

#include <gtest/gtest.h>

#include "cardhouse/model/energy.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using test::SmallModel;

StepSettings energy_momentum_settings() {
  StepSettings settings;
  settings.scheme = Scheme::energy_momentum;
  return settings;
}

StepReport step_once(SmallModel& setup, const StepSettings& settings = energy_momentum_settings()) {
  TimeStepping verbs(setup.model, settings);
  const StepReport report = energy_momentum_step(verbs, setup.model, setup.state);
  EXPECT_TRUE(report.certified) << report.reason;
  return report;
}

/// Wherever in the step it lands, nothing is left of its speed.
TEST(EnergyMomentumStep, LetsNothingReboundWithoutRestitution) {
  for (const double height : {0.0, 1e-4, 5e-4, 9e-4}) {
    SmallModel setup;
    setup.add_floor();
    const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1 + height));
    setup.state.bodies[box].linear.z() = -1.0;
    step_once(setup);
    EXPECT_NEAR(setup.state.bodies[box].pose.position.z(), 0.1, 1e-9);
    EXPECT_NEAR(setup.state.bodies[box].linear.z(), 0.0, 1e-7);
  }
}

TEST(EnergyMomentumStep, ReboundsByNewtonsLaw) {
  SmallModel setup;
  setup.model.materials[0].restitution = 0.5;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.1, 0.1, 0.1), Vec3(0.0, 0.0, 0.1005));
  setup.state.bodies[box].linear.z() = -1.0;
  step_once(setup);
  EXPECT_NEAR(setup.state.bodies[box].linear.z(), 0.5, 1e-7);
}

/// Friction of an impact is that of its whole impulse: m v mu, not that of the rebound that was taken back.
TEST(EnergyMomentumStep, BrakesAnImpactByItsOwnImpulse) {
  SmallModel setup;
  setup.model.materials[0].mu = 0.1;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.5, 0.5, 0.01), Vec3(0.0, 0.0, 0.0101));
  setup.state.bodies[box].linear = Vec3(3.0, 0.0, -1.0);
  const StepSettings settings = energy_momentum_settings();
  step_once(setup, settings);
  EXPECT_NEAR(setup.state.bodies[box].linear.x(), 3.0 - 0.1 * (1.0 + 9.81 * settings.step), 1e-6);
}

TEST(EnergyMomentumStep, KeepsTheMomentumOfBodiesThatMeet) {
  SmallModel setup;
  setup.model.gravity.setZero();
  const int first = setup.add_box(Vec3(0.1, 0.2, 0.3), Vec3(0.0, 0.0, 0.0));
  const int second = setup.add_box(Vec3(0.3, 0.1, 0.2), Vec3(0.401, 0.05, 0.03));
  setup.state.bodies[first].linear = Vec3(2.0, 0.3, 0.0);
  setup.state.bodies[first].angular = Vec3(1.0, 5.0, 2.0);
  setup.state.bodies[second].angular = Vec3(-3.0, 0.0, 4.0);
  const Momentum before = momentum_of(setup.model, setup.state);
  double energy = energy_of(setup.model, setup.state).total();
  bool touched = false;
  for (int k = 0; k < 20; ++k) {
    touched = step_once(setup).contacts > 0 || touched;
    const double now = energy_of(setup.model, setup.state).total();
    EXPECT_LE(now, energy * (1.0 + 1e-12));
    energy = now;
  }
  EXPECT_TRUE(touched);
  const Momentum after = momentum_of(setup.model, setup.state);
  EXPECT_LE((after.linear - before.linear).norm(), 1e-12 * before.linear.norm());
  EXPECT_LE((after.angular - before.angular).norm(), 1e-6 * before.angular.norm());
}

}  // namespace
}  // namespace cardhouse
