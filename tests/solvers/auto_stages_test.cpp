#include "cardhouse/solvers/auto_stages.h"

#include <gtest/gtest.h>

#include <set>

namespace cardhouse::testing {
namespace {

TEST(AutoStages, HaveNamesPurposesAndMethods) {
  std::set<std::string_view> names;
  for (const AutoStage& stage : auto_stages()) {
    EXPECT_TRUE(names.insert(stage.name).second) << stage.name << " is there twice";
    EXPECT_FALSE(stage.purpose.empty()) << stage.name;
    ASSERT_NE(stage.make, nullptr) << stage.name;
    EXPECT_NE(stage.make({}), nullptr) << stage.name;
    EXPECT_LT(stage.least_rows, stage.most_rows) << stage.name;
  }
}

/// What starts from the guess drops its answer, so it makes sense only before there is a better one.
TEST(AutoStages, OnlyTheFirstStartsFromTheGuess) {
  const auto stages = auto_stages();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    EXPECT_EQ(stages[i].start == AutoStage::Start::guess, i == 0) << stages[i].name;
  }
}

/// Whatever its size, a problem has more than one method, and one of them goes on from the best answer.
TEST(AutoStages, AreForProblemsOfEverySize) {
  for (const bool planar : {false, true}) {
    for (const int rows : {1, 1500, 1501, 3000, 3001, 5000, 5001, 1000000}) {
      int stages = 0;
      int from_best = 0;
      for (const AutoStage& stage : auto_stages()) {
        if (!stage.is_for(rows, planar)) continue;
        ++stages;
        from_best += stage.start == AutoStage::Start::best ? 1 : 0;
      }
      EXPECT_GE(stages, 3) << rows;
      EXPECT_GE(from_best, 1) << rows;
    }
  }
}

TEST(AutoStages, OfAPlaneAreNotForSpace) {
  for (const AutoStage& stage : auto_stages()) {
    EXPECT_EQ(stage.is_for(100, false) && stage.where == AutoStage::Where::plane, false) << stage.name;
    EXPECT_EQ(stage.is_for(100, true) && stage.where == AutoStage::Where::space, false) << stage.name;
  }
}

}  // namespace
}  // namespace cardhouse::testing
