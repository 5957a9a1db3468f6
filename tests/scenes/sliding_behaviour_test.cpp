#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

using test::run_scene;
using test::RunFigures;

constexpr double usual_g = 9.81;

/// The body that moves: these scenes have one.
int slider(const Scene& scene) {
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].mobility == Mobility::dynamic) return static_cast<int>(i);
  }
  return -1;
}

TEST(SlidingBlock, StopsWhereCoulombSaysAtAnyHeading) {
  const double speed = 3.0;
  const double mu = 0.3;
  for (double heading : {0.0, 10.0, 45.0, 77.0}) {
    for (double h : {1e-3, 1e-2}) {
      Scene scene = make_scene("sliding_block", {{"heading", std::to_string(heading)}});
      scene.settings.step = h;
      const RunFigures run = run_scene(scene, 1.3);
      const int body = slider(scene);
      const Vec3 moved = run.end.bodies[body].pose.position - scene.initial.bodies[body].pose.position;
      const double angle = heading * std::numbers::pi / 180.0;
      const Vec3 forward(std::cos(angle), std::sin(angle), 0.0);
      EXPECT_NEAR(moved.dot(forward), speed * speed / (2.0 * mu * usual_g), speed * h) << heading << "° h " << h;
      EXPECT_LT(std::abs(moved.cross(forward).z()), 1e-6) << heading << "° sideways";
      EXPECT_LT(std::abs(moved.z()), 1e-6) << heading << "° lift";
      EXPECT_EQ(run.uncertified, 0);
      EXPECT_LE(run.largest_gain, 1e-12 * run.initial_energy);
    }
  }
}

TEST(Incline, HoldsJustBelowTheFrictionAngle) {
  const RunFigures run = run_scene("incline", {{"ratio", "0.98"}}, 1.0);
  EXPECT_LT(run.displacement, 1e-9);  // the promise is 1 µm in 5 s
  EXPECT_EQ(run.uncertified, 0);
}

TEST(Incline, SlidesJustAboveItWithTheAnalyticAcceleration) {
  const double mu = 0.5;
  const double angle = std::atan(1.02 * mu);
  Scene scene = make_scene("incline", {{"mu", "0.5"}, {"ratio", "1.02"}});
  const RunFigures run = run_scene(scene, 1.0);
  const double speed = run.end.bodies[slider(scene)].linear.norm();
  const double expected = usual_g * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(speed, expected, 1e-3 * expected);
}

TEST(SlowTiltingPlane, LetsABoxGoAtTheFrictionAngleWhateverTheStep) {
  for (double h : {1e-3, 5e-3}) {
    Scene scene = make_scene("tilting_plane", {{"mu", "0.5"}, {"rate", "5"}});  // degrees per second
    scene.settings.step = h;
    const int box = slider(scene);
    const int plane = 1 - box;
    World world(scene);
    const auto place_on_plane = [&] {
      const State& state = world.state();
      return state.bodies[plane].pose.apply_inverse(state.bodies[box].pose.position);
    };
    const Vec3 start = place_on_plane();
    // After the friction angle the box has slid 0.1 mm within a tenth of a second, half a degree.
    while ((place_on_plane() - start).norm() < 1e-4 && world.state().time < 8.0) world.step();
    const double angle = 5.0 * (world.state().time - 0.5);  // the rate is reached within 1 s
    EXPECT_NEAR(angle, std::atan(0.5) * 180.0 / std::numbers::pi, 1.0) << "h " << h;
  }
}

/// Rows are linear, so that a body that turns by h w in a step overlaps by the square of that (Anitescu 2003).
TEST(EllipseDrop, PushedOutInFullHasOverlapsOfTheSquareOfTheStep) {
  Scene scene = make_scene("ellipse_drop");
  scene.settings.step = 5e-3;
  scene.settings.scheme = Scheme::stewart_trinkle;
  World world(scene);
  double lowest = 8.0;
  double turning = 0.0;  // of the step before
  while (world.state().time < 3.0) {
    const StepReport& report = world.step();
    ASSERT_TRUE(report.certified) << report.reason;
    const double turned = scene.settings.step * turning;
    // A point of the surface is 4 m from the centre, and leaves its tangent by half the square; gaps are rounded to
    // 2e-9 m.
    EXPECT_LE(report.penetration, 4.0 * turned * turned + 4e-9) << world.state().time;
    turning = world.state().bodies[1].angular.norm();
    lowest = std::min(lowest, world.state().bodies[1].pose.position.z());
  }
  EXPECT_LT(lowest, 4.0) << "it has landed";
  EXPECT_GT(lowest, 2.0 - 1e-3) << "no point is nearer to the centre";
}

}  // namespace
}  // namespace cardhouse
