#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cardhouse/scenes/building.h"
#include "scene_helpers.h"

namespace cardhouse {
namespace {

using scenes::ParameterSpec;
using testing::error_of;

/// What else a parameter's limit needs: a card can be the last one of the largest house only.
std::map<std::string, std::string> with(const std::string& name, const std::string& value) {
  std::map<std::string, std::string> parameters = {{name, value}};
  if (name == "missing" && value != "-1") parameters["levels"] = "50";
  return parameters;
}

std::vector<std::string> limits_of(const ParameterSpec& spec) {
  if (!spec.choices.empty()) return spec.choices;
  return {fmt::format("{}", spec.lower), fmt::format("{}", spec.upper)};
}

void expect_sound(const Scene& scene) {
  EXPECT_FALSE(scene.description.empty());
  EXPECT_GT(scene.duration, 0.0);
  EXPECT_GT(scene.settings.step, 0.0);
  EXPECT_EQ(scene.initial.bodies.size(), scene.model.bodies.size());
  EXPECT_EQ(scene.initial.initial_poses.size(), scene.model.bodies.size());
  EXPECT_NO_THROW(check_model(scene.model, scene.initial));
  std::set<std::string> names;
  int dynamic = 0;
  for (const Body& body : scene.model.bodies) {
    EXPECT_TRUE(names.insert(body.name).second) << body.name << " twice";
    if (body.mobility != Mobility::dynamic) continue;
    ++dynamic;
    EXPECT_GT(body.mass, 0.0) << body.name;
  }
  EXPECT_GT(dynamic, 0);
  if (!scene.stands) return;
  EXPECT_GT(scene.stands->max_displacement, 0.0);
  for (const int index : scene.stands->bodies) {
    EXPECT_EQ(scene.model.bodies.at(index).mobility, Mobility::dynamic);
  }
}

TEST(SceneLibrary, HasEverySceneOnceAndInTheOrderOfTheList) {
  const std::set<std::string> expected = {
      "particle_drop", "incline",      "sliding_block",  "box_stack",    "card_house",   "card_house_hit",
      "arch",          "arch_hit",     "log_house",      "painleve_rod", "cannonball",   "sphere_pile",
      "box_pile",      "jam",          "tilting_plane",  "pendulum",     "chain",        "parallelogram",
      "grasp",         "brazil_nut",   "newtons_cradle", "rolling_ball", "spinning_top", "turntable",
      "ceiling_block", "ellipse_drop", "rock_pile",      "kapla_tower",  "coin",         "chain_body"};
  std::set<std::string> listed;
  for (const SceneInfo& info : scene_list()) {
    EXPECT_TRUE(listed.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_EQ(listed, expected);
}

TEST(SceneLibrary, MakesEverySceneWithItsDefaults) {
  for (const SceneInfo& info : scene_list()) {
    SCOPED_TRACE(info.name);
    const Scene scene = make_scene(info.name);
    EXPECT_EQ(scene.name, info.name);
    expect_sound(scene);
  }
}

TEST(SceneLibrary, MakesEverySceneWithEachParameterAtItsLimits) {
  for (const scenes::SceneDefinition& definition : scenes::definitions()) {
    for (const ParameterSpec& spec : definition.parameters) {
      for (const std::string& value : limits_of(spec)) {
        SCOPED_TRACE(fmt::format("{} {}={}", definition.name, spec.name, value));
        expect_sound(make_scene(definition.name, with(spec.name, value)));
      }
    }
  }
}

TEST(SceneLibrary, RejectsEachParameterBeyondItsLimitsAndNamesSceneParameterValueAndRange) {
  for (const scenes::SceneDefinition& definition : scenes::definitions()) {
    for (const ParameterSpec& spec : definition.parameters) {
      std::vector<std::string> bad = {"nan", "inf", "-inf", "", "many", "1x", " 1", "1e999"};
      if (spec.choices.empty()) {
        bad.push_back(fmt::format("{}", spec.lower - 1.0));
        bad.push_back(fmt::format("{}", spec.upper + 1.0));
        if (spec.kind == ParameterSpec::Kind::integer) bad.push_back(fmt::format("{}", spec.lower + 0.5));
      }
      for (const std::string& value : bad) {
        const std::string message = error_of(definition.name, {{spec.name, value}});
        const std::string start = fmt::format("{}: {} = {}: must be ", definition.name, spec.name, value);
        EXPECT_EQ(message.substr(0, start.size()), start);
        for (const std::string& limit : limits_of(spec)) EXPECT_NE(message.find(limit), std::string::npos) << message;
      }
    }
  }
}

TEST(SceneLibrary, TellsTheRangeOfAnIntegerAsItsDocumentationSays) {
  EXPECT_EQ(error_of("card_house", {{"levels", "0"}}), "card_house: levels = 0: must be an integer in 1 … 50");
}

TEST(SceneLibrary, RejectsAMissingCardThatTheHouseDoesNotHave) {
  EXPECT_EQ(error_of("card_house", {{"levels", "2"}, {"missing", "6"}}), "");
  EXPECT_EQ(error_of("card_house", {{"levels", "2"}, {"missing", "7"}}),
            "card_house: missing = 7: must be an integer in -1 … 6 (with 2 levels; -1: no card is missing)");
}

TEST(SceneLibrary, SuggestsTheNearestNameForAnUnknownSceneOrParameter) {
  const std::string scene = error_of("cardhouse", {});
  EXPECT_NE(scene.find("'cardhouse'"), std::string::npos) << scene;
  EXPECT_NE(scene.find("did you mean 'card_house'"), std::string::npos) << scene;
  const std::string parameter = error_of("arch", {{"voussoir", "21"}});
  EXPECT_NE(parameter.find("arch: unknown parameter 'voussoir'"), std::string::npos) << parameter;
  EXPECT_NE(parameter.find("did you mean 'voussoirs'"), std::string::npos) << parameter;
  EXPECT_NE(parameter.find("Known: kind, voussoirs, thickness, mu"), std::string::npos) << parameter;
}

TEST(SceneLibrary, SuggestsNothingForAWordThatHasLittleInCommon) {
  EXPECT_EQ(error_of("teapot", {}), "unknown scene 'teapot'. `cardhouse scene --list` shows them all");
  EXPECT_EQ(error_of("arch", {{"storeys", "4"}}),
            "arch: unknown parameter 'storeys' (value '4'). Known: kind, voussoirs, thickness, mu");
}

TEST(SceneLibrary, KeepsEveryParameterWithTheValueInUse) {
  const Scene scene = make_scene("incline", {{"ratio", "1.02"}});
  const std::map<std::string, std::string> expected = {{"mu", "0.5"}, {"ratio", "1.02"}, {"speed", "0"}};
  EXPECT_EQ(scene.parameters, expected);
}

TEST(SceneLibrary, GivesMuAndRestitutionToTheMaterialOfAllBodies) {
  for (const SceneInfo& info : scene_list()) {
    const auto is_mu = [](const SceneParameter& parameter) { return parameter.name == "mu"; };
    if (std::none_of(info.parameters.begin(), info.parameters.end(), is_mu)) continue;
    const Scene scene = make_scene(info.name, {{"mu", "0.375"}});
    ASSERT_EQ(scene.model.materials.size(), 1u) << info.name;
    EXPECT_EQ(scene.model.materials[0].mu, 0.375) << info.name;
  }
  EXPECT_EQ(make_scene("particle_drop", {{"restitution", "0.5"}}).model.materials[0].restitution, 0.5);
}

TEST(SceneLibrary, MakesTheSameBitsTwice) {
  for (const SceneInfo& info : scene_list()) {
    EXPECT_EQ(state_hash(make_scene(info.name).initial), state_hash(make_scene(info.name).initial)) << info.name;
  }
}

TEST(SceneLibrary, MakesAnotherPileFromAnotherSeed) {
  for (const char* name : {"sphere_pile", "box_pile", "rock_pile"}) {
    EXPECT_NE(state_hash(make_scene(name).initial), state_hash(make_scene(name, {{"seed", "2"}}).initial)) << name;
  }
}

TEST(SceneLibrary, NamesOnlyTheStructureInTheStandsRuleOfHitScenes) {
  for (const char* name : {"card_house_hit", "arch_hit"}) {
    const Scene scene = make_scene(name);
    ASSERT_TRUE(scene.stands);
    EXPECT_FALSE(scene.stands->bodies.empty());
    for (const int index : scene.stands->bodies) {
      EXPECT_EQ(scene.model.bodies[index].name.find("block"), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace cardhouse
