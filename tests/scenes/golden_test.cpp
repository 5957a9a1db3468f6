// The same input gives the same bits: on any number of threads, at any optimisation, with GCC and Clang. A change that
// alters the bits on purpose stores new hashes here and says why in its commit.
#include <gtest/gtest.h>

#include <map>

#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

namespace cardhouse {
namespace {

struct Golden {
  std::string scene;
  std::map<std::string, std::string> parameters;
  int steps;
  std::uint64_t hash;
};

const std::vector<Golden>& goldens() {
  static const std::vector<Golden> list = {
      {"box_stack", {{"count", "5"}}, 50, 0x1467d064000786e0},
      {"card_house", {{"levels", "2"}}, 50, 0x2894f183362873bd},
      {"arch", {{"voussoirs", "9"}}, 50, 0xb6c2b464fe674239},
      {"kapla_tower", {{"levels", "3"}}, 20, 0xec11326e2b122def},
      {"jam", {}, 50, 0x5b19ceadc75a5a5d},
      {"sphere_pile", {{"count", "20"}}, 50, 0xf8292c70990fc59a},
      {"cannonball", {{"base", "5"}}, 20, 0x8dfaf48779d3687d},
      {"chain", {{"links", "5"}}, 100, 0xc10a75b5fec7c737},
      {"newtons_cradle", {}, 100, 0xdd60342c3c8f4cb1},
      {"coin", {}, 100, 0x49307b4396b678a9},
      {"turntable", {}, 50, 0x02e754c71e4bcda8},
      {"ellipse_drop", {}, 100, 0xa2f48f3087465fb4},
      {"chain_body", {{"count", "30"}}, 50, 0x3bcc8f2e032fd6a4},
  };
  return list;
}

TEST(Golden, ScenesEndInTheStoredBits) {
  for (const Golden& golden : goldens()) {
    for (const int threads : {1, 2}) {
      Scene scene = make_scene(golden.scene, golden.parameters);
      scene.settings.threads = threads;
      World world(scene);
      for (int step = 0; step < golden.steps; ++step) world.step();
      EXPECT_EQ(state_hash(world.state()), golden.hash) << golden.scene << " on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace cardhouse
