#include "cardhouse/world/divergence.h"

#include <gtest/gtest.h>

#include <limits>

#include "cardhouse/model/network.h"
#include "cardhouse/world/world.h"

namespace cardhouse {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Two balls of 1 kg and 0.1 m, 1 m apart, over a half-space.
Scene two_balls() {
  Scene scene;
  for (int i = 0; i < 2; ++i) {
    Body ball;
    ball.name = i == 0 ? "first" : "second";
    ball.mass = 1.0;
    ball.inertia = 0.004 * Mat3::Identity();
    ball.shapes.push_back({Sphere{0.1}, {}, 0});
    scene.model.bodies.push_back(ball);
    BodyState state;
    state.pose.position = Vec3(i, 0.0, 0.1);
    scene.initial.bodies.push_back(state);
  }
  Body ground;
  ground.name = "ground";
  ground.mobility = Mobility::fixed;
  ground.shapes.push_back({HalfSpace{}, {}, 0});
  scene.model.bodies.push_back(ground);
  scene.initial.bodies.emplace_back();
  return scene;
}

std::optional<Divergence> see(const Scene& scene, const State& state, double kinetic = 0.0, double work = 0.0) {
  DivergenceWatch watch(scene, scene.initial, energy_of(scene.model, scene.initial));
  StepReport report;
  report.work = work;
  return watch.see(scene.model, state, report, Energy{kinetic, 0.0});
}

TEST(SceneSize, IsTheDiagonalOfTheBoxAroundAllButHalfSpaces) {
  Scene scene = two_balls();
  // x from -0.1 to 1.1, y from -0.1 to 0.1, z from 0 (the ground's centre) to 0.2.
  EXPECT_DOUBLE_EQ(scene_size(scene.model, scene.initial), Vec3(1.2, 0.2, 0.2).norm());
}

TEST(SceneSize, CountsPointsInTheWorldAndIsNeverNothing) {
  Scene scene;
  EXPECT_EQ(scene_size(scene.model, scene.initial), 1.0);
  Body particle;
  particle.kind = BodyKind::particle;
  particle.mass = 1.0;
  scene.model.bodies.push_back(particle);
  scene.initial.bodies.resize(1);
  EXPECT_EQ(scene_size(scene.model, scene.initial), 1.0);
  Spring spring;
  spring.point_second = Vec3(0.0, 0.0, 5.0);
  scene.model.springs.push_back(spring);
  EXPECT_DOUBLE_EQ(scene_size(scene.model, scene.initial), 5.0);
}

TEST(Divergence, IsNotSeenInASceneThatIsAsItWas) {
  const Scene scene = two_balls();
  EXPECT_FALSE(see(scene, scene.initial).has_value());
}

TEST(Divergence, IsWhatIsNotFinite) {
  const Scene scene = two_balls();
  State state = scene.initial;
  state.step = 7;
  state.bodies[1].linear.x() = nan;
  const auto found = see(scene, state);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->step, 7);
  EXPECT_EQ(found->body, 1);
  EXPECT_EQ(found->reason, "body \"second\" has a position or velocity that is not finite");
  state = scene.initial;
  state.bodies[0].pose.position.z() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(see(scene, state)->body, 0);
}

TEST(Divergence, IsABodyAThousandMillionSizesAway) {
  const Scene scene = two_balls();
  const double size = scene_size(scene.model, scene.initial);
  State state = scene.initial;
  state.bodies[1].pose.position.z() = -0.999e9 * size;
  EXPECT_FALSE(see(scene, state).has_value());
  state.bodies[1].pose.position.z() = -1.001e9 * size;
  ASSERT_TRUE(see(scene, state).has_value());
  EXPECT_EQ(see(scene, state)->body, 1);
}

TEST(Divergence, IsANodeAsFarAwayThoughTheCentreStays) {
  Scene scene;
  auto data = std::make_shared<NodeNetwork>();
  data->masses = {1.0, 1.0};
  VecX places(6);
  places << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0;
  scene.model.bodies.emplace_back();
  scene.initial.bodies.emplace_back();
  set_network(data, places, VecX::Zero(6), scene.model.bodies[0], scene.initial.bodies[0]);
  EXPECT_EQ(scene_size(scene.model, scene.initial), 1.0);
  State state = scene.initial;
  state.bodies[0].nodes[0] = -0.999e9;
  state.bodies[0].nodes[3] = 0.999e9;
  EXPECT_FALSE(see(scene, state).has_value());
  state.bodies[0].nodes[0] = -1.001e9;
  state.bodies[0].nodes[3] = 1.001e9;
  ASSERT_TRUE(see(scene, state).has_value());
  EXPECT_EQ(see(scene, state)->body, 0);
}

TEST(Divergence, IsAMillionTimesTheEnergyThatThereWas) {
  const Scene scene = two_balls();
  const double weights = 2.0 * 9.81 * scene_size(scene.model, scene.initial);
  const double initial = 2.0 * 9.81 * 0.1;  // potential, above the origin
  State state = scene.initial;
  state.bodies[0].linear.x() = 1.0;  // the fastest
  EXPECT_FALSE(see(scene, state, 0.999e6 * (weights + initial)).has_value());
  const auto found = see(scene, state, 1.001e6 * (weights + initial));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->body, 0);
  EXPECT_FALSE(see(scene, state, 1.001e6 * (weights + initial), weights).has_value()) << "work was done on it";
}

TEST(Divergence, IsNotTheSpeedThatAnOverlapAtTheStartGivesWithoutGravity) {
  Scene scene = two_balls();
  scene.model.gravity.setZero();
  scene.initial.bodies[1].pose.position.x() = 0.19;  // 10 mm deep
  scene.settings.initial_overlaps = InitialOverlaps::push;
  for (const double step : {1e-2, 1e-4, 1e-6}) {
    scene.settings.step = step;
    World world(scene);
    DivergenceWatch watch(scene, world.state(), world.energy());
    for (int i = 0; i < 3; ++i) {
      world.step();
      const auto found = watch.see(world.model(), world.state(), world.last_report(), world.energy());
      EXPECT_FALSE(found.has_value()) << step << ": " << found->reason;
    }
  }
}

TEST(Divergence, IsNotALongFall) {
  Scene scene = two_balls();
  scene.model.bodies.pop_back();
  scene.initial.bodies.pop_back();
  scene.settings.step = 0.1;
  World world(scene);
  DivergenceWatch watch(scene, world.state(), world.energy());
  for (int i = 0; i < 1000; ++i) {
    world.step();
    ASSERT_FALSE(watch.see(world.model(), world.state(), world.last_report(), world.energy()).has_value());
  }
}

}  // namespace
}  // namespace cardhouse
