// A world's memory stays flat however long it runs: a leak of one small block per step would show as 300 KB here.
#include <gtest/gtest.h>

#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

#include <malloc.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace cardhouse {
namespace {

/// Bytes that are allocated and not freed, by all of the program.
std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// How far the bytes in use rise above those after the warm-up, at any step.
std::size_t growth(const char* scene, const std::map<std::string, std::string>& parameters, int warm_up, int steps) {
  World world(make_scene(scene, parameters));
  for (int step = 0; step < warm_up; ++step) world.step();
  const std::size_t settled = bytes_in_use();
  std::size_t most = settled;
  for (int step = 0; step < steps; ++step) {
    world.step();
    most = std::max(most, bytes_in_use());
  }
  return most - settled;
}

constexpr std::size_t allowed = 8192;  // bytes: buffers that still grow a little with the number of iterations

TEST(Memory, IsMeasured) {
  const std::size_t before = bytes_in_use();
  const std::vector<char> block(2 * allowed);
  EXPECT_GT(bytes_in_use() - before, allowed);
}

TEST(Memory, StaysFlatWhileACardHouseStands) {
  EXPECT_LE(growth("card_house", {{"levels", "2"}}, 200, 10000), allowed);
}

TEST(Memory, StaysFlatWhileContactsComeAndGo) {
  EXPECT_LE(growth("sphere_pile", {{"count", "8"}}, 1000, 2000), allowed);
}

}  // namespace
}  // namespace cardhouse

#endif
