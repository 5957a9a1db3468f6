// A settled step must not allocate in its inner loops: what is left is a handful for the report, however large the
// scene.
#include <gtest/gtest.h>

#include <cstddef>

#include "cardhouse/scenes/library.h"
#include "cardhouse/world/world.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

namespace {
long allocations = 0;
}

extern "C" void* __libc_malloc(std::size_t size);
/// Counts for this whole test program.
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace cardhouse {
namespace {

long allocations_of_a_settled_step(const char* levels) {
  World world(make_scene("card_house", {{"levels", levels}}));
  for (int step = 0; step < 100; ++step) world.step();
  const long before = allocations;
  for (int step = 0; step < 10; ++step) world.step();
  return (allocations - before) / 10;
}

TEST(Allocation, OfASettledStepIsSmallAndDoesNotGrowWithTheScene) {
  const long small = allocations_of_a_settled_step("2");
  const long large = allocations_of_a_settled_step("5");
  EXPECT_LE(small, 20);
  EXPECT_LE(large, small + 5);  // an outer iteration more appends to the residual history
}

}  // namespace
}  // namespace cardhouse

#endif
