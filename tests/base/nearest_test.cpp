#include "cardhouse/base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace cardhouse {
namespace {

constexpr std::array<std::string_view, 4> keys = {"mass", "density", "shapes", "max_displacement"};

TEST(Nearest, FindsWhatASlipOfThePenWasMeantToBe) {
  EXPECT_EQ(nearest("msas", keys), "mass") << "swapped letters";
  EXPECT_EQ(nearest("shape", keys), "shapes") << "a missing letter";
  EXPECT_EQ(nearest("densityy", keys), "density") << "a letter too many";
  EXPECT_EQ(nearest("max_displacment", keys), "max_displacement");
  EXPECT_EQ(nearest("mass", keys), "mass");
}

TEST(Nearest, FindsNothingForAWordThatHasLittleInCommon) {
  EXPECT_EQ(nearest("colour", keys), "");
  EXPECT_EQ(nearest("m", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest("masses", std::array<std::string_view, 0>{}), "");
}

TEST(Nearest, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearest("cat", std::array<std::string_view, 2>{"hat", "bat"}), "hat");
}

TEST(IsNear, AllowsOneEditForEveryThreeLetters) {
  EXPECT_TRUE(is_near("abc", "abx"));
  EXPECT_FALSE(is_near("abc", "axx"));
  EXPECT_TRUE(is_near("abcdef", "abcdxx"));
  EXPECT_FALSE(is_near("ab", "ax"));
}

}  // namespace
}  // namespace cardhouse
