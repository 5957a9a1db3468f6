#include "cardhouse/report/published.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace cardhouse {
namespace {

std::vector<PublishedRow> two_rows() {
  return {{"table", "first", "Author 2000", 2.0, 2.5, "within a factor of 2", Verdict::agrees, ""},
          {"table", "second", "Author 2000", "µ of a figure", std::numeric_limits<double>::infinity(), "none",
           Verdict::not_readable, "too small"}};
}

TEST(Published, KeepsNumbersAsNumbersInJson) {
  const nlohmann::json rows = nlohmann::json::parse(published_json(two_rows()));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["published"], 2.0);
  EXPECT_EQ(rows[0]["measured"], 2.5);
  EXPECT_EQ(rows[0]["verdict"], "agrees");
  EXPECT_EQ(rows[1]["published"], "µ of a figure");
  EXPECT_TRUE(rows[1]["measured"].is_null());
  EXPECT_EQ(rows[1]["verdict"], "not readable");
  EXPECT_EQ(rows[1]["note"], "too small");
}

TEST(Published, TableHasBothValuesTheVerdictAndTheRuleOfEachRow) {
  const std::string table = published_table(two_rows());
  for (const char* part :
       {"first", "2.5", "agrees", "within a factor of 2", "µ of a figure", "not readable", "too small"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part;
  }
  // Columns stand below each other whatever bytes their characters take.
  const std::size_t first = table.find("agrees");
  const std::size_t second = table.find("not readable");
  const auto column = [&](std::size_t at) {
    const std::size_t line = table.rfind('\n', at) + 1;
    std::size_t characters = 0;
    for (std::size_t i = line; i < at; ++i) characters += (static_cast<unsigned char>(table[i]) & 0xC0) != 0x80;
    return characters;
  };
  EXPECT_EQ(column(first), column(second));
}

}  // namespace
}  // namespace cardhouse
