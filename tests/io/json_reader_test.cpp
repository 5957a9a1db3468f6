#include "cardhouse/io/json_reader.h"

#include <gtest/gtest.h>

#include <array>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

constexpr auto words = std::to_array<std::string_view>({"dynamic", "fixed"});
constexpr auto old_words = std::to_array<OldWord>({{"moving", "dynamic"}, {"static", "fixed"}});

TEST(OldWords, CountAsTodaysAndAreNotedWithTheirPlace) {
  const auto json = nlohmann::json::parse(R"({ "bodies": [ { "mobility": "moving" } ] })");
  std::vector<std::string> notes;
  const JsonReader top(json, "s.json", "", &notes);
  EXPECT_EQ(top.at("bodies").elements()[0].at("mobility").choice(words, old_words), 0u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0],
            "s.json: bodies[0].mobility: \"moving\" is now called \"dynamic\": the old word still loads; change it");
}

TEST(OldWords, AreNotedOnceForAllTheirPlaces) {
  const auto json = nlohmann::json::parse(R"(["moving", "moving", "static", "fixed", "moving"])");
  std::vector<std::string> notes;
  for (const JsonReader& each : JsonReader(json, "s.json", "", &notes).elements()) each.choice(words, old_words);
  EXPECT_EQ(notes.size(), 2u);
}

TEST(OldWords, OfTodayAndWithoutAPlaceForNotesAreSilent) {
  const auto json = nlohmann::json::parse(R"(["dynamic", "moving"])");
  const JsonReader reader(json, "s.json");
  EXPECT_EQ(reader.elements()[0].choice(words, old_words), 0u);
  EXPECT_EQ(reader.elements()[1].choice(words, old_words), 0u);
}

TEST(Choices, ThatAreNoneAreRefusedWithTheNearest) {
  const auto json = nlohmann::json::parse(R"("dinamic")");
  try {
    JsonReader(json, "s.json", "mobility").choice(words, old_words);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "s.json: mobility = \"dinamic\": must be one of dynamic, fixed; did you mean \"dynamic\"?");
  }
}

TEST(Numbers, AreHeldToTheBoundsOfTheirUnit) {
  const auto json = nlohmann::json::parse("1e200");
  const JsonReader reader(json, "s.json", "mass");
  EXPECT_THROW(reader.number("kg"), InputError);
  EXPECT_THROW(reader.number("m or rad"), InputError);
  EXPECT_EQ(reader.number({}), 1e200);
}

}  // namespace
}  // namespace cardhouse
