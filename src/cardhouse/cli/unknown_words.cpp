#include "cardhouse/cli/unknown_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::cli {
namespace {

/// What other programs call these commands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> synonyms = {{{"simulate", "run"},
                                                                                     {"sim", "run"},
                                                                                     {"start", "run"},
                                                                                     {"step", "run"},
                                                                                     {"play", "view"},
                                                                                     {"show", "view"},
                                                                                     {"open", "view"},
                                                                                     {"gui", "view"},
                                                                                     {"list", "scene --list"},
                                                                                     {"scenes", "scene --list"},
                                                                                     {"export", "scene"},
                                                                                     {"describe", "info"},
                                                                                     {"benchmark", "compare"},
                                                                                     {"video", "render"}}};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string nearest_of(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return std::string(nearest(word, views));
}

bool is_scene(const std::string& word) {
  const auto& scenes = scene_list();
  std::error_code ignored;
  return std::any_of(scenes.begin(), scenes.end(), [&](const SceneInfo& scene) { return scene.name == word; }) ||
         std::filesystem::is_regular_file(word, ignored);
}

std::string meant_command(const std::string& word, const std::vector<std::string>& names) {
  for (const auto& [other, own] : synonyms) {
    if (word == other) return std::string(own);
  }
  return is_scene(word) ? "run " + word : nearest_of(word, names);
}

/// "--step" of "--step=0.1".
std::string option_of(const std::string& word) {
  return word.substr(0, word.find('='));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

void check_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string meant = meant_command(word, names);
  throw InputError(fmt::format("unknown command '{}': {}", word,
                               meant.empty() ? fmt::format("there are {}; --help explains them", fmt::join(names, ", "))
                                             : fmt::format("did you mean {}?", meant)));
}

std::string unexpected_words(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string where = chosen.empty() ? "" : command.get_name() + ": ";
  const std::string help = chosen.empty() ? "cardhouse --help" : "cardhouse " + command.get_name() + " --help";
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string& word : words) {
    if (!word.starts_with("-")) continue;
    const std::string option = option_of(word);
    const std::string meant = nearest_of(option, option_names(command));
    return fmt::format("{}unknown option '{}'{}\n'{}' lists the options", where, option,
                       meant.empty() ? "" : fmt::format(": did you mean {}?", meant), help);
  }
  return fmt::format("{}unexpected: '{}'\n'{}' explains the arguments", where, fmt::join(words, "' '"), help);
}

}  // namespace cardhouse::cli
