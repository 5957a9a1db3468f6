#include "cardhouse/report/rest_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace cardhouse {
namespace {

/// A ball of 0.1 m and a plate that may be moved.
Scene ball_and_plate() {
  Scene scene;
  Body ball;
  ball.mass = 1.0;
  ball.shapes.push_back({Sphere{0.1}, {}, 0});
  scene.model.bodies.push_back(ball);
  Body plate;
  plate.mobility = Mobility::kinematic;
  plate.motion = ConstantVelocity{};
  plate.shapes.push_back({Box{Vec3(1.0, 1.0, 0.1)}, {}, 0});
  scene.model.bodies.push_back(plate);
  scene.initial.bodies.resize(2);
  return scene;
}

/// Shows the watch states of the same velocities at equal times, for `seconds`.
void show(RestWatch& watch, State& state, double seconds) {
  const double until = state.time + seconds;
  while (state.time < until - 1e-9) {
    state.time += 0.01;
    watch.see(state);
  }
}

TEST(RestWatch, TellsTheSpeedOfTheFastestPoint) {
  const Scene scene = ball_and_plate();
  RestWatch watch(scene, scene.initial, {0}, -1);
  State state = scene.initial;
  state.bodies[0].linear = Vec3(0.3, 0.0, 0.4);
  state.bodies[0].angular = Vec3(0.0, 2.0, 0.0);
  watch.see(state);
  EXPECT_DOUBLE_EQ(watch.speed(), 0.5 + 0.1 * 2.0);
  EXPECT_EQ(watch.fastest(), 0);
}

TEST(RestWatch, IsAtRestAfterATenthOfASecondWithoutMotion) {
  const Scene scene = ball_and_plate();
  RestWatch watch(scene, scene.initial, {0}, -1);
  State state = scene.initial;
  show(watch, state, 0.09);
  EXPECT_FALSE(watch.at_rest());
  show(watch, state, 0.01);
  EXPECT_TRUE(watch.at_rest());
  EXPECT_EQ(watch.fastest(), -1);
}

TEST(RestWatch, IsNotAtRestAtTheTopOfAFlight) {
  const Scene scene = ball_and_plate();
  RestWatch watch(scene, scene.initial, {0}, -1);
  State state = scene.initial;
  for (int i = -20; i <= 20; ++i) {  // 0.2 s up and 0.2 s down
    state.time += 0.01;
    state.bodies[0].linear.z() = -9.81 * 0.01 * i;
    watch.see(state);
    EXPECT_FALSE(watch.at_rest()) << i;
  }
}

TEST(RestWatch, IsNotAtRestWhileABodyIsMovedOrWillBe) {
  Scene scene = ball_and_plate();
  State state = scene.initial;
  RestWatch watch(scene, scene.initial, {0}, -1);
  state.bodies[1].angular.z() = 0.1;
  show(watch, state, 0.5);
  EXPECT_FALSE(watch.at_rest());
  state.bodies[1].angular.z() = 0.0;
  show(watch, state, 0.11);
  EXPECT_TRUE(watch.at_rest());

  Tilting later;
  later.start = 2.0;
  scene.model.bodies[1].motion = later;
  RestWatch waiting(scene, scene.initial, {0}, -1);
  state = scene.initial;
  show(waiting, state, 1.9);
  EXPECT_FALSE(waiting.at_rest());
}

/// A plate that turns and rises, with the ball on it; `creep` is the ball's speed on the plate.
void turn_together(State& state, double time, double creep) {
  const Quat turned = rotation_from_vector(Vec3(0.0, 0.0, 3.0 * time));
  state.time = time;
  state.bodies[1].pose = {Vec3(0.0, 0.0, time), turned};
  state.bodies[0].pose = {state.bodies[1].pose.apply(Vec3(0.5 + creep * time, 0.0, 0.2)), turned};
  for (BodyState& body : state.bodies) body.angular = Vec3(0.0, 0.0, 3.0);
}

TEST(RestWatch, CountsMotionAsSeenFromABody) {
  Scene scene = ball_and_plate();
  turn_together(scene.initial, 0.0, 0.0);
  RestWatch watch(scene, scene.initial, {0}, 1);
  State state = scene.initial;
  for (int i = 1; i <= 20; ++i) {
    turn_together(state, 0.01 * i, 0.0);
    watch.see(state);
    EXPECT_NEAR(watch.speed(), 0.0, 1e-13);  // round-off of places, over a hundredth of a second
  }
  EXPECT_TRUE(watch.at_rest());
  RestWatch creeping(scene, scene.initial, {0}, 1);
  for (int i = 1; i <= 20; ++i) {
    turn_together(state, 0.01 * i, 0.25);
    creeping.see(state);
    EXPECT_NEAR(creeping.speed(), 0.25, 1e-12);
  }
  EXPECT_FALSE(creeping.at_rest());
}

/// Two masses that swing against each other: their centre stays where it is.
Scene swinging_pair() {
  Scene scene = ball_and_plate();
  auto network = std::make_shared<NodeNetwork>();
  network->masses = {1.0, 1.0};
  VecX places(6);
  VecX velocities(6);
  places << 0.0, 0.0, 1.0, 1.0, 0.0, 1.0;
  velocities << 0.2, 0.0, 0.0, -0.2, 0.0, 0.0;
  set_network(network, places, velocities, scene.model.bodies[0], scene.initial.bodies[0]);
  return scene;
}

TEST(RestWatch, ANetworkWhoseNodesSwingIsNotAtRest) {
  const Scene scene = swinging_pair();
  ASSERT_TRUE(scene.initial.bodies[0].linear.isZero());
  RestWatch watch(scene, scene.initial, {0}, -1);
  State state = scene.initial;
  show(watch, state, 0.2);
  EXPECT_DOUBLE_EQ(watch.speed(), 0.2);
  EXPECT_FALSE(watch.at_rest());
  state.bodies[0].node_velocities[4] = std::numeric_limits<double>::quiet_NaN();
  watch.see(state);
  EXPECT_TRUE(std::isnan(watch.speed()));
  state.bodies[0].node_velocities.setZero();
  show(watch, state, 0.12);
  EXPECT_TRUE(watch.at_rest());
}

TEST(RestWatch, SeesNodesSwingFromABodyToo) {
  const Scene scene = swinging_pair();
  RestWatch watch(scene, scene.initial, {0}, 1);
  State state = scene.initial;
  for (int i = 1; i <= 20; ++i) {
    state.time = 0.01 * i;
    state.bodies[0].nodes += 0.01 * state.bodies[0].node_velocities;
    watch.see(state);
    EXPECT_NEAR(watch.speed(), 0.2, 1e-12);
  }
  EXPECT_FALSE(watch.at_rest());
}

TEST(RestWatch, ASpeedThatIsNotANumberIsNoRest) {
  const Scene scene = ball_and_plate();
  RestWatch watch(scene, scene.initial, {0}, -1);
  State state = scene.initial;
  state.bodies[0].linear.x() = std::numeric_limits<double>::quiet_NaN();
  show(watch, state, 1.0);
  EXPECT_FALSE(watch.at_rest());
  EXPECT_TRUE(std::isnan(watch.speed()));
}

}  // namespace
}  // namespace cardhouse
