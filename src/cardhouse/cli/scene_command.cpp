#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/arguments.h"
#include "cardhouse/cli/commands.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::cli {
namespace {

struct SceneOptions {
  std::vector<std::string> words;
  bool list = false;
};

void print_scene_info(const SceneInfo& scene) {
  fmt::print("{}\n  {}\n", scene.name, scene.summary);
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  std::size_t unit_width = 0;
  for (const SceneParameter& parameter : scene.parameters) {
    name_width = std::max(name_width, parameter.name.size());
    value_width = std::max(value_width, parameter.default_value.size());
    unit_width = std::max(unit_width, parameter.unit.size());
  }
  for (const SceneParameter& parameter : scene.parameters) {
    fmt::print("    {:<{}} = {:<{}}  {:<{}}  {}\n", parameter.name, name_width, parameter.default_value, value_width,
               parameter.unit, unit_width, parameter.meaning);
  }
  fmt::print("\n");
}

void print_scene_list() {
  for (const SceneInfo& scene : scene_list()) print_scene_info(scene);
  fmt::print("Each parameter is shown with its default, its unit (- for none) or choices, and its meaning.\n");
}

void print_scene(const SceneOptions& options) {
  if (options.list && !options.words.empty()) throw InputError("scene --list: takes no scene name");
  if (options.list) return print_scene_list();
  const SceneWords words = split_scene_words(options.words);
  if (words.scene.empty()) throw InputError("scene: give a name; 'cardhouse scene --list' shows them");
  fmt::print("{}", scene_text(make_scene(words.scene, words.parameters)));
}

constexpr const char* scene_examples = R"(
Examples:
  cardhouse scene --list
  cardhouse scene card_house levels=3 mu=0.5 > house.json)";

}  // namespace

void add_scene_command(CLI::App& app) {
  const auto options = std::make_shared<SceneOptions>();
  CLI::App* command = app.add_subcommand("scene", "Print a scene of the library as a scene file, or list them all");
  command->add_option("NAME", options->words, "Name of a scene, then parameters as name=value")->type_name("");
  command->add_flag("--list", options->list, "List all scenes with their parameters, defaults and units");
  command->footer(scene_examples);
  command->callback([options] { print_scene(*options); });
}

}  // namespace cardhouse::cli
