#include "cardhouse/cli/scene_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/base/nearest.h"
#include "cardhouse/cli/recording_file.h"
#include "cardhouse/io/recording.h"
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

/// Names that differ by a typing error, or that contain the word.
std::vector<std::string> near_names(const std::string& word) {
  std::vector<std::string> names;
  for (const SceneInfo& scene : scene_list()) {
    const bool contains = word.size() >= 3 && scene.name.find(word) != std::string::npos;
    if (contains || is_near(word, scene.name)) names.push_back(scene.name);
  }
  return names;
}

/// A recording with a step, as `--from` and `diagnose` take it: the recording; empty if the word is none.
std::string recording_of(const std::string& word) {
  const std::size_t at = word.rfind('@');
  if (at == std::string::npos || !std::filesystem::is_regular_file(word.substr(0, at))) return {};
  return looks_like_recording(word.substr(0, at)) ? word.substr(0, at) : std::string();
}

[[noreturn]] void throw_not_found(const std::string& word) {
  if (!recording_of(word).empty()) {
    throw InputError(fmt::format("{}: is a step of a recording, not a scene: 'cardhouse run --from {}' goes on from it",
                                 word, word));
  }
  const std::vector<std::string> near = near_names(word);
  const std::string guess = near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
  throw InputError(
      fmt::format("'{}': there is no such file, and no scene of that name{}\n"
                  "'cardhouse scene --list' shows the names.",
                  word, guess));
}

[[noreturn]] void refuse_hdf5(const std::string& file) {
  if (std::filesystem::file_size(file) == 0) throw InputError(file + ": is empty: neither a recording nor a scene");
  try {
    read_recording_info(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}\nIt is no scene either. A contact problem is solved by 'cardhouse solve {}'.",
                                 error.what(), file));
  }
  throw InputError(
      fmt::format("{}: is a recording, not a scene: 'cardhouse view {}' shows it, 'cardhouse info {}' tells what it "
                  "holds, and 'cardhouse run --from {}@STEP' goes on from one of its steps",
                  file, file, file, file));
}

Scene load_scene_file(const std::string& file, const Parameters& parameters) {
  if (std::filesystem::is_directory(file)) throw InputError(fmt::format("{}: is a folder, not a scene file", file));
  if (!parameters.empty()) {
    throw InputError(
        fmt::format("{}={}: parameters are for scenes of the library, and {} is a file; edit the file instead",
                    parameters.begin()->first, parameters.begin()->second, file));
  }
  if (looks_like_recording(file)) refuse_hdf5(file);
  return read_scene(file);
}

}  // namespace

bool names_scene(const std::string& file_or_name) {
  if (file_or_name.ends_with(".json") || (!looks_like_path(file_or_name) && is_library_name(file_or_name))) return true;
  std::error_code ignored;
  if (!std::filesystem::exists(file_or_name, ignored)) return true;
  if (!std::filesystem::is_regular_file(file_or_name, ignored)) return false;
  char first = '\0';
  std::ifstream(file_or_name) >> first;  // past white space
  return first == '{';
}

Scene load_scene(const std::string& file_or_name, const Parameters& parameters) {
  if (!looks_like_path(file_or_name) && is_library_name(file_or_name)) return make_scene(file_or_name, parameters);
  if (std::filesystem::exists(file_or_name)) return load_scene_file(file_or_name, parameters);
  throw_not_found(file_or_name);
}

}  // namespace cardhouse::cli
