// What a solve leaves is the next step's gaps and overlaps, and pushing them out a gain of energy.
#include <gtest/gtest.h>

#include <algorithm>

#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace cardhouse {
namespace {

/// The largest rise in a step, as a part of the energy at the start.
double largest_gain(const std::string& name, const std::map<std::string, std::string>& parameters, double h,
                    int steps) {
  Scene scene = make_scene(name, parameters);
  scene.settings.step = h;
  World world(scene);
  const double start = world.energy().total();
  double before = start;
  double largest = 0.0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(world.step().certified);
    const double after = world.energy().total();
    largest = std::max(largest, (after - before) / start);
    before = after;
  }
  return largest;
}

// The promise is 1e-12; long steps and heavy tops make impulses, and with them what solves leave, large.

TEST(EnergyAtRest, AStackWithAHeavyTopGainsNone) {
  EXPECT_LE(largest_gain("box_stack", {{"ratio", "1000"}}, 1e-2, 100), 1e-12);
  EXPECT_LE(largest_gain("box_stack", {{"ratio", "10000"}}, 1e-3, 300), 1e-12);
}

TEST(EnergyAtRest, StructuresGainNoneFromTheirFirstStepOn) {
  EXPECT_LE(largest_gain("card_house", {{"levels", "2"}}, 1e-2, 100), 1e-12);
  EXPECT_LE(largest_gain("kapla_tower", {{"levels", "8"}}, 1e-2, 50), 1e-12);
  EXPECT_LE(largest_gain("log_house", {}, 1e-3, 100), 1e-12);
}

}  // namespace
}  // namespace cardhouse
