#include "cardhouse/base/deadline.h"

#include <gtest/gtest.h>

namespace cardhouse {
namespace {

TEST(CancellationToken, OfNobodyIsNeverSet) {
  const CancellationToken nobody;
  EXPECT_FALSE(nobody.requested());
  EXPECT_NO_THROW(nobody.throw_if_requested());
}

TEST(CancellationToken, IsSeenInEveryCopyWhenTheFlagIsSet) {
  std::atomic<bool> flag = false;
  const CancellationToken token(flag);
  const CancellationToken copy = token;
  EXPECT_FALSE(copy.requested());
  flag = true;
  EXPECT_TRUE(copy.requested());
  EXPECT_THROW(copy.throw_if_requested(), Cancelled);
  flag = false;
  EXPECT_NO_THROW(token.throw_if_requested());
}

TEST(Deadline, PassesWithItsTimeOrWithItsToken) {
  EXPECT_FALSE(Deadline().passed()) << "no limit and no token";
  EXPECT_FALSE(Deadline(1e6).passed());

  Deadline brief(1e-9);
  while (brief.seconds() <= 1e-9) {
  }
  EXPECT_TRUE(brief.passed());
  EXPECT_FALSE(brief.cancelled()) << "the time is up, nobody cancelled";

  std::atomic<bool> flag = true;
  const Deadline cancelled(1e6, CancellationToken(flag));
  EXPECT_TRUE(cancelled.passed());
  EXPECT_TRUE(cancelled.cancelled());
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
