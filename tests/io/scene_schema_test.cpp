// docs/scene.schema.json against the reader: the same keys, and the same verdict on scenes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cardhouse/io/scene_file.h"
#include "cardhouse/io/scene_keys.h"
#include "io/sample_scene.h"
#include "source_folder.h"

namespace cardhouse {
namespace {

using nlohmann::json;

json schema() {
  const std::filesystem::path root = test::source_folder();
  std::ifstream file(root / "docs" / "scene.schema.json");
  return json::parse(file);
}

std::set<std::string> property_names(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, unused] : object.at("properties").items()) names.insert(name);
  return names;
}

template <typename... Lists>
std::set<std::string> joined(const Lists&... lists) {
  std::set<std::string> names;
  (names.insert(lists.begin(), lists.end()), ...);
  return names;
}

/// As much of JSON Schema 2020-12 as the schema uses. An unknown keyword is an error, so that none is passed over.
class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  bool accepts(const json& value, const json& rule) const {
    for (const auto& [keyword, argument] : rule.items()) {
      if (!obeys(value, keyword, argument, rule)) return false;
    }
    return true;
  }

 private:
  bool obeys(const json& value, const std::string& keyword, const json& argument, const json& rule) const {
    static const std::set<std::string> notes = {"$schema", "$defs", "title", "description", "default"};
    if (notes.contains(keyword) || keyword == "additionalProperties") return true;
    if (keyword == "$ref") return accepts(value, root_.at(json::json_pointer(argument.get<std::string>().substr(1))));
    if (keyword == "type") return has_type(value, argument);
    if (keyword == "const") return value == argument;
    if (keyword == "enum") return std::find(argument.begin(), argument.end(), value) != argument.end();
    if (keyword == "oneOf") return count_accepting(value, argument) == 1;
    if (keyword == "anyOf") return count_accepting(value, argument) >= 1;
    if (keyword == "required") return has_all(value, argument);
    if (keyword == "properties") return properties_accepted(value, argument, rule);
    if (keyword == "items") return items_accepted(value, argument);
    if (keyword == "minItems") return !value.is_array() || value.size() >= argument.get<std::size_t>();
    if (keyword == "maxItems") return !value.is_array() || value.size() <= argument.get<std::size_t>();
    if (keyword == "uniqueItems") return std::set<json>(value.begin(), value.end()).size() == value.size();
    if (keyword == "minLength")
      return !value.is_string() || value.get<std::string>().size() >= argument.get<std::size_t>();
    if (keyword == "minimum") return !value.is_number() || value >= argument;
    if (keyword == "maximum") return !value.is_number() || value <= argument;
    if (keyword == "exclusiveMinimum") return !value.is_number() || value > argument;
    if (keyword == "exclusiveMaximum") return !value.is_number() || value < argument;
    if (keyword == "multipleOf") return !value.is_number() || value.get<int>() % argument.get<int>() == 0;
    ADD_FAILURE() << "keyword " << keyword << " is not known here";
    return false;
  }

  static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    return type == "number" && value.is_number();
  }

  int count_accepting(const json& value, const json& rules) const {
    int count = 0;
    for (const json& rule : rules) count += accepts(value, rule) ? 1 : 0;
    return count;
  }

  static bool has_all(const json& value, const json& keys) {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const json& key) { return value.contains(key.get<std::string>()); });
  }

  bool properties_accepted(const json& value, const json& properties, const json& rule) const {
    if (!value.is_object()) return true;
    for (const auto& [key, member] : value.items()) {
      const bool known = properties.contains(key);
      if (!known && rule.contains("additionalProperties")) return false;
      if (known && !accepts(member, properties.at(key))) return false;
    }
    return true;
  }

  bool items_accepted(const json& value, const json& rule) const {
    if (!value.is_array()) return true;
    return std::all_of(value.begin(), value.end(), [&](const json& item) { return accepts(item, rule); });
  }

  const json& root_;
};

TEST(SceneSchema, HasTheKeysThatTheReaderKnows) {
  const json root = schema();
  const json& defs = root.at("$defs");
  EXPECT_EQ(property_names(root), joined(scene_keys::scene));
  EXPECT_EQ(property_names(root.at("properties").at("settings")), joined(scene_keys::settings));
  EXPECT_EQ(property_names(root.at("properties").at("settings").at("properties").at("soft")), joined(scene_keys::soft));
  EXPECT_EQ(property_names(root.at("properties").at("friction")), joined(scene_keys::friction));
  EXPECT_EQ(property_names(root.at("properties").at("stands")), joined(scene_keys::stands));
  EXPECT_EQ(property_names(root.at("properties").at("global_forces")), joined(scene_keys::global_forces));
  EXPECT_EQ(property_names(defs.at("material")), joined(scene_keys::material));
  EXPECT_EQ(property_names(defs.at("material").at("properties").at("anisotropy")), joined(scene_keys::anisotropy));
  EXPECT_EQ(property_names(defs.at("material_pair")), joined(scene_keys::material_pair));
  EXPECT_EQ(property_names(defs.at("body")), joined(scene_keys::body));
  EXPECT_EQ(property_names(defs.at("spring")), joined(scene_keys::spring));
  EXPECT_EQ(property_names(defs.at("node")), joined(scene_keys::node));
  EXPECT_EQ(property_names(defs.at("link")), joined(scene_keys::link));
  EXPECT_EQ(property_names(defs.at("weighted_nodes").at("items")), joined(scene_keys::weighted_node));
  EXPECT_EQ(property_names(defs.at("joint")), joined(scene_keys::joint));
  EXPECT_EQ(property_names(defs.at("joint_frame")), joined(scene_keys::joint_frame));
  EXPECT_EQ(property_names(defs.at("joint_limits")), joined(scene_keys::joint_limits));
  EXPECT_EQ(property_names(defs.at("joint_motor")), joined(scene_keys::joint_motor));
  const json& joint = defs.at("joint").at("properties");
  EXPECT_EQ(property_names(joint.at("second_drive")), joined(scene_keys::joint_drive));
  EXPECT_EQ(joint.at("type").at("enum"), json(scene_keys::joint_types));
  const json& settings = root.at("properties").at("settings").at("properties");
  EXPECT_EQ(settings.at("stabilisation").at("enum"), json(scene_keys::stabilisations));
  EXPECT_EQ(settings.at("overlaps").at("enum"), json(scene_keys::old_overlaps));
  EXPECT_EQ(settings.at("initial_overlaps").at("enum"), json(scene_keys::initial_overlaps));
  EXPECT_EQ(settings.at("restitution").at("enum"), json(scene_keys::restitution_laws));
  EXPECT_EQ(settings.at("adaptive").at("enum"), json(scene_keys::adaptive_rules));
}

TEST(SceneSchema, HasTheShapesAndMotionsThatTheReaderKnows) {
  const json root = schema();
  const json shapes = root.at("$defs").at("shape").at("oneOf");
  ASSERT_EQ(shapes.size(), scene_keys::shape_types.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_EQ(shapes[i].at("properties").at("type").at("const"), scene_keys::shape_types[i]);
    EXPECT_EQ(property_names(shapes[i]), joined(scene_keys::shape_common, scene_keys::shapes[i]));
  }
  const json motions = root.at("$defs").at("motion").at("oneOf");
  ASSERT_EQ(motions.size(), scene_keys::motion_types.size());
  for (std::size_t i = 0; i < motions.size(); ++i) {
    EXPECT_EQ(motions[i].at("properties").at("type").at("const"), scene_keys::motion_types[i]);
    EXPECT_EQ(property_names(motions[i]), joined(scene_keys::motion_common, scene_keys::motions[i]));
  }
}

TEST(SceneSchema, NamesShapesAsTheGeometryDoes) {
  const Scene scene = testing::full_scene();
  for (const Body& body : scene.model.bodies) {
    for (const Shape& shape : body.shapes) {
      EXPECT_EQ(shape_name(shape.geometry), scene_keys::shape_types[shape.geometry.index()]);
    }
  }
}

TEST(SceneSchema, AcceptsWhatTheWriterWrites) {
  const json root = schema();
  for (const Scene& scene : {testing::small_scene(), testing::full_scene()}) {
    EXPECT_TRUE(Validator(root).accepts(json::parse(scene_text(scene)), root)) << scene_text(scene);
  }
}

TEST(SceneSchema, RefusesWhatTheReaderRefuses) {
  const json root = schema();
  for (const char* text :
       {"[]", "{}", R"({"bodies": [], "gravitiy": [0, 0, 1]})", R"({"bodies": [], "gravity": [0, 1]})",
        R"({"bodies": [{"shapes": [{"type": "cube"}]}]})", R"({"bodies": [{"shapes": [{"type": "sphere"}]}]})",
        R"({"bodies": [{"shapes": [{"type": "box", "half_extents": [1, 0, 1]}]}]})", R"({"bodies": [{"mass": -1}]})",
        R"({"bodies": [], "settings": {"step": 0}})", R"({"bodies": [], "settings": {"soft": {"order": 3}}})",
        R"({"bodies": [], "settings": {"contact": "mellow"}})", R"({"bodies": [], "friction": {"sides": 5}})"}) {
    EXPECT_FALSE(Validator(root).accepts(json::parse(text), root)) << text;
  }
}

}  // namespace
}  // namespace cardhouse
