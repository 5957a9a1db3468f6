#include "cardhouse/base/stopwatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace cardhouse {
namespace {

constexpr double pause_seconds = 0.02;

void pause() {
  std::this_thread::sleep_for(std::chrono::duration<double>(pause_seconds));
}

TEST(Stopwatch, CountsWallTimeInSeconds) {
  const Stopwatch watch;
  pause();
  EXPECT_GE(watch.seconds(), pause_seconds);
  EXPECT_LT(watch.seconds(), 10.0);  // however busy the machine is
}

TEST(Stopwatch, StartsEachLapAtTheEndOfTheLast) {
  const Stopwatch whole;
  Stopwatch watch;
  pause();
  const double first = watch.lap();
  const double second = watch.lap();
  EXPECT_GE(first, pause_seconds);
  EXPECT_GE(second, 0.0);
  EXPECT_LE(first + second, whole.seconds());
}

}  // namespace
}  // namespace cardhouse
