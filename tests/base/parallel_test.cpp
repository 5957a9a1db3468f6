#include "cardhouse/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace cardhouse {
namespace {

TEST(ParallelFor, RunsEveryTaskOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> runs(1234);
    parallel_for(static_cast<int>(runs.size()), threads, [&](int i) { ++runs[i]; });
    for (const std::atomic<int>& count : runs) ASSERT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelFor, DoesNothingForNoTasks) {
  for (const int threads : {1, 4}) parallel_for(0, threads, [](int) { FAIL(); });
}

/// Work whose last bits depend on the order of its own operations, but not on when it is done.
std::vector<double> results(int threads) {
  std::vector<double> values(500);
  parallel_for(static_cast<int>(values.size()), threads, [&](int i) {
    for (int k = 1; k <= 200; ++k) values[i] += std::sin(0.1 * i * k) / k;
  });
  return values;
}

TEST(ParallelFor, GivesTheSameBitsOnAnyNumberOfThreads) {
  const std::vector<double> alone = results(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(results(threads), alone) << threads << " threads";
}

TEST(ParallelFor, GoesInOrderOnOneThread) {
  std::vector<int> order;
  parallel_for(5, 1, [&](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, PassesAnExceptionOn) {
  for (const int threads : {1, 4}) {
    const auto task = [](int i) {
      if (i == 17) throw std::runtime_error("task 17");
    };
    EXPECT_THROW(parallel_for(100, threads, task), std::runtime_error) << threads << " threads";
  }
}

}  // namespace
}  // namespace cardhouse
