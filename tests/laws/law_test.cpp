#include "cardhouse/laws/law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

namespace cardhouse {
namespace {

TEST(Law, IsPlainDataThatAProblemCanHoldByTheThousand) {
  EXPECT_TRUE(std::is_trivially_copyable_v<Law>);
  EXPECT_TRUE(std::is_aggregate_v<Law>);
  EXPECT_LE(sizeof(Law), 64U) << "a cache line";
}

TEST(Law, IsAFrictionlessContactUnlessToldOtherwise) {
  const Law law;
  EXPECT_EQ(law.kind, Law::Kind::coulomb);
  EXPECT_EQ(law.friction, FrictionShape::disk);
  EXPECT_EQ(law.mu, 0.0);
  EXPECT_EQ(law.mu_cross, law.mu) << "isotropic";
}

TEST(Law, HasAPolygonThatOpposesBothWaysOfSlidingAlike) {
  EXPECT_EQ(Law{}.sides % 2, 0);
  EXPECT_GE(Law{}.sides, 4);
}

TEST(Law, BoundsNothingUnlessToldTo) {
  EXPECT_TRUE(std::isinf(Law{}.lower) && Law{}.lower < 0.0);
  EXPECT_TRUE(std::isinf(Law{}.upper) && Law{}.upper > 0.0);
}

}  // namespace
}  // namespace cardhouse
