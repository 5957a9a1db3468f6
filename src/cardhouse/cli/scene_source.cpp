#include "cardhouse/cli/scene_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/io/scene_file.h"
#include "cardhouse/scenes/library.h"

namespace cardhouse::cli {
namespace {

bool looks_like_path(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".json");
}

bool is_library_name(const std::string& word) {
  const auto& scenes = scene_list();
  return std::any_of(scenes.begin(), scenes.end(), [&](const SceneInfo& scene) { return scene.name == word; });
}

/// Levenshtein's distance, by one row of the table.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// Names within a few typing errors, or that contain the word or are contained in it.
std::vector<std::string> near_names(const std::string& word) {
  std::vector<std::string> names;
  for (const SceneInfo& scene : scene_list()) {
    const bool contains =
        word.size() >= 3 && (scene.name.find(word) != std::string::npos || word.find(scene.name) != std::string::npos);
    if (contains || edit_distance(word, scene.name) <= 1 + scene.name.size() / 4) names.push_back(scene.name);
  }
  return names;
}

[[noreturn]] void throw_not_found(const std::string& word) {
  const std::vector<std::string> near = near_names(word);
  const std::string guess = near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
  throw InputError(
      fmt::format("'{}': there is no such file, and no scene of that name{}\n"
                  "'cardhouse scene --list' shows the names.",
                  word, guess));
}

Scene load_scene_file(const std::string& file, const Parameters& parameters) {
  if (std::filesystem::is_directory(file)) throw InputError(fmt::format("{}: is a folder, not a scene file", file));
  if (!parameters.empty()) {
    throw InputError(
        fmt::format("{}={}: parameters are for scenes of the library, and {} is a file; edit the file instead",
                    parameters.begin()->first, parameters.begin()->second, file));
  }
  return read_scene(file);
}

}  // namespace

Scene load_scene(const std::string& file_or_name, const Parameters& parameters) {
  if (!looks_like_path(file_or_name) && is_library_name(file_or_name)) return make_scene(file_or_name, parameters);
  if (std::filesystem::exists(file_or_name)) return load_scene_file(file_or_name, parameters);
  throw_not_found(file_or_name);
}

}  // namespace cardhouse::cli
