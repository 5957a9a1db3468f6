#include "cardhouse/reproduction/entry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cardhouse/base/error.h"

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
  const Progress progress({}, [] { return true; });
  EXPECT_THROW(run_entry(find_entry("thesis-7.4"), Form::brief, progress), Stopped);
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
