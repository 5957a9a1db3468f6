// A heavy body on a column of light ones, and at the end of a chain of them: neither may sink, sag or thrash.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

/// m: what the scenes are asked for. Measured below 2 nm, with hinges 0.12 µm.
constexpr double least_sag = 1e-6;

void expect_at_rest(const std::string& name, std::map<std::string, std::string> parameters, double seconds) {
  for (const char* ratio : {"100", "1000"}) {
    parameters["ratio"] = ratio;
    for (const double h : {1e-3, 1e-2}) {
      SCOPED_TRACE(::testing::Message() << name << " ratio " << ratio << ", h " << h);
      const test::RunFigures f = test::run_scene(name, parameters, seconds, h);
      EXPECT_EQ(f.uncertified, 0);
      EXPECT_LT(f.displacement, least_sag);
    }
  }
}

TEST(HeavyOnLight, StackDoesNotSink) {
  expect_at_rest("box_stack", {}, 0.2);
}

TEST(HeavyOnLightSlow, ChainDoesNotSagOrThrash) {
  // Without the inertia that geometric stiffness adds, the chain at h = 10 ms comes apart within 0.8 s.
  for (const char* joint : {"ball", "revolute", "hinge"})
    expect_at_rest("chain", {{"angle", "0"}, {"joint", joint}}, 1.5);
}

TEST(HeavyOnLightSlow, StackAndChainRestForTenSeconds) {
  expect_at_rest("box_stack", {}, 10.0);
  for (const char* joint : {"ball", "revolute", "hinge"})
    expect_at_rest("chain", {{"angle", "0"}, {"joint", joint}}, 10.0);
}

TEST(HeavyOnLightSlow, ChainSwingsAtACoarseStepAsAtAFineOne) {
  // The light links' inertia grows a hundredfold at h = 10 ms; the load's swing must not feel it.
  Vec3 place[2];
  double band[2] = {};
  double swinging = 0.0;
  int i = 0;
  for (const double h : {1e-3, 1e-2}) {
    Scene scene = make_scene("chain", {{"angle", "10"}, {"ratio", "1000"}});
    scene.settings.step = h;
    World world(scene);
    const double energy = world.energy().total();
    while (world.state().time < 3.0 - 0.5 * h) {
      EXPECT_TRUE(world.step().certified);
      band[i] = std::max(band[i], std::abs(world.energy().total() - energy));
    }
    place[i++] = world.state().bodies.back().pose.position;
    const double load = scene.model.bodies.back().mass;
    swinging = load * 9.81 * 0.95 * (1.0 - std::cos(std::numbers::pi / 18.0));  // J, of the load
  }
  // Measured 0.33 mm of the 0.33 m of its swing.
  EXPECT_LT((place[1] - place[0]).norm(), 1e-3);
  // Of first order in h: measured 0.0016 and 0.017.
  EXPECT_LT(band[0], 0.003 * swinging);
  EXPECT_LT(band[1], 0.03 * swinging);
}

}  // namespace
}  // namespace cardhouse
