#include "cardhouse/solvers/own_options.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"

namespace cardhouse::testing {
namespace {

TEST(OwnOptions, FollowTheNameInAnyOrder) {
  OwnOptions own("method:depth=3:form=b");
  EXPECT_EQ(own.solver(), "method");
  EXPECT_EQ(own.choice("form", {"a", "b"}), 1);
  EXPECT_EQ(own.number("depth", 0, 9, 5), 3);
  EXPECT_NO_THROW(own.finish());
}

TEST(OwnOptions, HaveDefaults) {
  OwnOptions own("method");
  EXPECT_EQ(own.solver(), "method");
  EXPECT_EQ(own.choice("form", {"a", "b"}), 0);
  EXPECT_EQ(own.number("depth", 0, 9, 5), 5);
}

TEST(OwnOptions, TakeEvenNumbersWhereOddOnesMeanNothing) {
  EXPECT_EQ(OwnOptions("method:sides=6").even_number("sides", 4, 20, 8), 6);
  EXPECT_EQ(OwnOptions("method").even_number("sides", 4, 20, 8), 8);
  for (const std::string wrong : {"5", "2", "22", "x"}) {
    EXPECT_THROW(OwnOptions("method:sides=" + wrong).even_number("sides", 4, 20, 8), InputError) << wrong;
  }
}

TEST(OwnOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(OwnOptions("method:depth"), InputError);
  EXPECT_THROW(OwnOptions("method:depth=1:depth=2"), InputError);
  for (const std::string wrong : {"-1", "10", "x", "1.5", "", "3 "}) {
    OwnOptions own("method:depth=" + wrong);
    EXPECT_THROW(own.number("depth", 0, 9, 5), InputError) << wrong;
  }
  OwnOptions choice("method:form=c");
  EXPECT_THROW(choice.choice("form", {"a", "b"}), InputError);
  OwnOptions other("method:colour=red");
  other.number("depth", 0, 9, 5);
  EXPECT_THROW(other.finish(), InputError);
}

}  // namespace
}  // namespace cardhouse::testing
