#include "cardhouse/base/deadline.h"

#include <gtest/gtest.h>

namespace cardhouse {
namespace {

TEST(StopWish, OfNobodyIsNeverMade) {
  const StopWish nobody;
  EXPECT_FALSE(nobody.made());
  EXPECT_NO_THROW(nobody.obey());
}

TEST(StopWish, IsSeenInEveryCopyWhenTheFlagIsSet) {
  std::atomic<bool> flag = false;
  const StopWish wish(flag);
  const StopWish copy = wish;
  EXPECT_FALSE(copy.made());
  flag = true;
  EXPECT_TRUE(copy.made());
  EXPECT_THROW(copy.obey(), Stopped);
  flag = false;
  EXPECT_NO_THROW(wish.obey());
}

TEST(Deadline, PassesWithItsTimeOrWithTheWish) {
  EXPECT_FALSE(Deadline().passed()) << "no limit and no wish";
  EXPECT_FALSE(Deadline(1e6).passed());

  Deadline brief(1e-9);
  while (brief.seconds() <= 1e-9) {
  }
  EXPECT_TRUE(brief.passed());
  EXPECT_FALSE(brief.stop_wished()) << "the time is up, nobody wished anything";

  std::atomic<bool> flag = true;
  const Deadline wished(1e6, StopWish(flag));
  EXPECT_TRUE(wished.passed());
  EXPECT_TRUE(wished.stop_wished());
}

TEST(Deadline, CountsFromItsLastRestart) {
  Deadline deadline(0.05);
  while (!deadline.passed()) {
  }
  deadline.restart();
  EXPECT_LT(deadline.seconds(), 0.05) << "restarted a moment ago";
}

}  // namespace
}  // namespace cardhouse
