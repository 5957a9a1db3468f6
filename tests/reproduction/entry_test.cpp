#include "cardhouse/reproduction/entry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "cardhouse/base/error.h"
#include "cardhouse/base/stopwatch.h"
#include "cardhouse/reproduction/runs.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::reproduction {
namespace {

TEST(Entries, HaveNamesOfTheirOwnThatAreGoodAsFolders) {
  std::set<std::string> names;
  for (const Entry& entry : entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-."), std::string::npos) << entry.name;
    EXPECT_FALSE(entry.title.empty() || entry.source.empty()) << entry.name;
  }
  EXPECT_GE(names.size(), 25u);
}

TEST(Entries, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    find_entry("thesis-6.33");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'thesis-6.3'"), std::string::npos) << error.what();
  }
}

TEST(Entries, EndWhenTheUserSaysSo) {
  const std::atomic<bool> flag = true;
  const Progress progress({}, CancellationToken(flag));
  EXPECT_THROW(run_entry(find_entry("thesis-7.4"), Form::brief, progress), Cancelled);
}

TEST(Runs, EndInTheMiddleOfALongStep) {
  Scene scene = make_scene("card_house", {{"levels", "4"}});
  scene.settings.tolerance = 1e-300;  // which nothing reaches: the first step would last minutes
  std::atomic<bool> flag = false;
  const Progress progress({}, CancellationToken(flag));
  World world = make_world(std::move(scene), progress);
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    flag = true;
  });
  const Stopwatch watch;
  EXPECT_THROW(run_to(world, 1.0, {progress, "house"}), Cancelled);
  EXPECT_LT(watch.seconds(), 10.0);
  EXPECT_EQ(world.state().step, 0);
  user.join();
}

TEST(CsvTable, WritesALinePerRowAndLeavesOutWhatIsNoNumber) {
  CsvTable table("t", {"a", "b"});
  table.add(std::vector<double>{0.25, std::nan("")});
  EXPECT_EQ(table.text(), "a,b\n0.25,\n");
}

TEST(Rules, CompareEitherWay) {
  EXPECT_TRUE(within_factor(2.0, 1.0, 2.0));
  EXPECT_TRUE(within_factor(2.0, 4.0, 2.0));
  EXPECT_FALSE(within_factor(2.0, 4.1, 2.0));
  EXPECT_FALSE(within_factor(0.0, 0.0, 2.0));
  EXPECT_FALSE(within_factor(2.0, std::nan(""), 2.0));
  EXPECT_NEAR(slope_of_logarithms({1.0, 2.0, 4.0}, {3.0, 12.0, 48.0}), 2.0, 1e-12);
}

}  // namespace
}  // namespace cardhouse::reproduction
