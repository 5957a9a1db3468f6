// Newton's cradle: which law of restitution gives which outcome.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "cardhouse/world/world.h"
#include "scene_helpers.h"

namespace cardhouse {
namespace {

constexpr double height = 0.3;  // m, of the bar
constexpr std::array<Restitution, 4> laws{Restitution::newton, Restitution::lagged, Restitution::poisson,
                                          Restitution::impact};

/// m/s, along x, of all balls.
std::vector<double> speeds(const World& world) {
  std::vector<double> found;
  for (std::size_t i = 1; i < world.state().bodies.size(); ++i) found.push_back(world.state().bodies[i].linear.x());
  return found;
}

struct Outcome {
  double before = 0.0;        ///< m/s, of the first ball at the bottom
  std::vector<double> after;  ///< m/s
};

/// The first collision and what followed within `after` seconds.
Outcome first_collision(const std::map<std::string, std::string>& parameters, Restitution law, double h, double after) {
  Scene scene = make_scene("newtons_cradle", parameters);
  scene.settings.restitution = law;
  scene.settings.step = h;
  World world(scene);
  Outcome outcome;
  const std::size_t last = scene.model.bodies.size() - 1;
  while (world.state().time < 1.0 && world.state().bodies[last - 1].linear.norm() < 0.01) {
    outcome.before = std::max(outcome.before, speeds(world)[0]);
    EXPECT_TRUE(world.step().certified) << world.last_report().reason;
  }
  const double end = world.state().time + after;
  while (world.state().time < end) EXPECT_TRUE(world.step().certified) << world.last_report().reason;
  outcome.after = speeds(world);
  return outcome;
}

TEST(NewtonsCradleScene, HangsStillWhenNothingIsLifted) {
  Scene scene = make_scene("newtons_cradle", {{"lifted", "0"}});
  World world(scene);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(world.step().certified);
  for (std::size_t i = 1; i < scene.model.bodies.size(); ++i) {
    // A ball's two strings are a closed loop, whose joints give way by 0.2 µm under their load (docs/joints.md).
    const Vec3 moved = world.state().bodies[i].pose.position - scene.initial.bodies[i].pose.position;
    EXPECT_LT(moved.norm(), 2e-7);
    EXPECT_LT(std::abs(moved.x()), 1e-9);
  }
}

TEST(NewtonsCradleScene, TheLiftedBallArrivesWithTheSpeedOfItsFall) {
  const Outcome outcome = first_collision({{"angle", "30"}}, Restitution::impact, 1e-4, 0.0);
  const double fall = height * (1.0 - std::cos(std::numbers::pi / 6.0));
  EXPECT_NEAR(outcome.before, std::sqrt(2.0 * 9.81 * fall), 2e-3);  // first order in h
}

// Balls that touch collide all at once. Every law of the house then asks for u⁺ = −e u⁻ at all contacts that push, with
// u⁻ = (−v, 0, 0, 0): the first ball leaves the second with e v, the others stay together. Momentum gives them
// (1 + e) v/5 each and the first ball (1 + e) v/5 − e v: for e = 1 four balls leave with 2/5 v, the first comes back
// with 3/5 v, and the energy is kept (9/25 + 4 · 4/25 = 1). Poisson's impulses are r_C = (4, 3, 2, 1) m v/5, and 1 + e
// times these give the same. No law of simultaneous impacts that knows e alone gives the cradle of the toy shop.
TEST(NewtonsCradleSceneSlow, BallsThatTouchLeaveTogetherUnderEveryLaw) {
  for (const double e : {1.0, 0.6}) {
    for (const Restitution law : laws) {
      const Outcome outcome = first_collision({{"restitution", std::to_string(e)}}, law, 1e-4, 3e-4);
      const double v = outcome.before;
      for (int i = 1; i < 5; ++i) EXPECT_NEAR(outcome.after[i], (1.0 + e) * v / 5.0, 5e-3 * v) << static_cast<int>(law);
      EXPECT_NEAR(outcome.after[0], (1.0 + e) * v / 5.0 - e * v, 5e-3 * v) << static_cast<int>(law);
    }
  }
}

// Gaps that a ball does not cross within a step make the collisions follow each other. Each is one of two equal balls,
// which for e = 1 change velocities: the last ball leaves with v and all others stand, as in the toy shop.
TEST(NewtonsCradleSceneSlow, BallsWithGapsHandTheVelocityOnUnderEveryLaw) {
  for (const Restitution law : laws) {
    // 0.2 mm: 5 steps at 0.89 m/s, enough for the lagged law too, which takes two steps for a collision.
    const Outcome outcome = first_collision({{"gap", "2e-4"}}, law, 5e-5, 1e-3);
    const double v = outcome.before;
    EXPECT_NEAR(outcome.after[4], v, 0.01 * v) << static_cast<int>(law);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(outcome.after[i], 0.0, 0.01 * v) << static_cast<int>(law) << " " << i;
  }
}

TEST(NewtonsCradleScene, TwoLiftedBallsDriveTwoOut) {
  const Outcome outcome = first_collision({{"gap", "2e-4"}, {"lifted", "2"}}, Restitution::impact, 5e-5, 2e-3);
  const double v = outcome.before;
  EXPECT_NEAR(outcome.after[4], v, 0.01 * v);
  EXPECT_NEAR(outcome.after[3], v, 0.01 * v);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(outcome.after[i], 0.0, 0.01 * v) << i;
}

}  // namespace
}  // namespace cardhouse
