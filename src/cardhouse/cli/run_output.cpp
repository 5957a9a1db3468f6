#include "cardhouse/cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <system_error>

#include "cardhouse/base/error.h"

namespace fs = std::filesystem;

namespace cardhouse::cli {
namespace {

/// The scene's name with only characters that are good in a file name.
std::string folder_name(const std::string& scene) {
  std::string name;
  for (const char c : scene) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    name += good ? c : '_';
  }
  name.resize(std::min<std::size_t>(name.size(), 60));
  return name.empty() ? "scene" : name;
}

void check_folder(const fs::path& folder, const std::string& option) {
  fs::path nearest = fs::absolute(folder);
  std::error_code ignored;
  while (!fs::exists(nearest, ignored) && nearest.has_relative_path()) nearest = nearest.parent_path();
  if (!fs::is_directory(nearest, ignored)) {
    throw InputError(fmt::format("{} {}: {} is not a folder", option, folder.string(), nearest.string()));
  }
  if (::access(nearest.c_str(), W_OK | X_OK) != 0) {
    throw InputError(fmt::format("{} {}: no permission to write in {}", option, folder.string(), nearest.string()));
  }
}

void check_file(const fs::path& file, const std::string& option) {
  if (fs::is_directory(file)) throw InputError(fmt::format("{} {}: is a folder, not a file", option, file.string()));
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder)) {
    throw InputError(fmt::format("{} {}: there is no folder {}", option, file.string(), folder.string()));
  }
  check_folder(folder, option);
}

/// The place was looked at before, so that most of what can go wrong now is the system's.
[[noreturn]] void throw_not_made(const fs::path& folder, std::error_code error) {
  const std::string message = fmt::format("{}: cannot be made: {}", folder.string(), error.message());
  if (error == std::errc::filename_too_long || error == std::errc::permission_denied) throw InputError(message);
  throw std::runtime_error(message);
}

/// Makes a folder with all its parents; tells which are new, outermost first.
std::vector<fs::path> make_folders(const fs::path& folder) {
  std::vector<fs::path> made;
  fs::path path;
  for (const fs::path& part : folder) {
    path /= part;
    std::error_code error;
    if (fs::create_directory(path, error)) made.push_back(path);
    if (error) throw_not_made(path, error);
  }
  return made;
}

/// out/NAME-1, or with the first number that is free; two runs started at once get different ones.
fs::path make_numbered_folder(const std::string& name) {
  for (int number = 1;; ++number) {
    fs::path folder = fs::path("out") / fmt::format("{}-{}", name, number);
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    if (error) throw_not_made(folder, error);
  }
}

}  // namespace

RunOutput::RunOutput(const Options& options)
    : options_(options),
      summary_to_stdout_(options.summary == "-"),
      summary_(summary_to_stdout_ ? "" : options.summary),
      recording_(options.recording) {
  if (!options.folder.empty()) check_folder(options.folder, "--out");
  if (options.folder.empty()) check_folder("out", "the output folder");
  if (!summary_.empty()) check_file(summary_, "--summary");
  if (!recording_.empty()) check_file(recording_, "--record");
  const fs::path recording = recording_.empty() ? fs::path(options.folder) / "recording.h5" : recording_;
  const fs::path summary = summary_.empty() ? fs::path(options.folder) / "summary.json" : summary_;
  const auto same = [](const fs::path& first, const fs::path& second) {
    std::error_code ignored;
    return fs::equivalent(first, second, ignored) || fs::absolute(first) == fs::absolute(second);
  };
  for (const fs::path& file : {recording, summary}) {
    if (file == summary && summary_to_stdout_) continue;
    if (same(file, options.source)) {
      throw InputError(
          fmt::format("{}: this run would overwrite what it reads; choose another place for its files", file.string()));
    }
  }
  if (!summary_to_stdout_ && same(recording, summary)) {
    throw InputError(fmt::format("{}: the summary and the recording can't be one file", summary.string()));
  }
}

void RunOutput::create() {
  const bool needs_folder = recording_.empty() || (summary_.empty() && !summary_to_stdout_);
  if (!needs_folder && options_.folder.empty()) return;
  fs::path folder = options_.folder;
  if (folder.empty()) {
    made_ = make_folders("out");
    folder = make_numbered_folder(folder_name(options_.scene));
    made_.push_back(folder);
  } else {
    made_ = make_folders(folder);
  }
  if (recording_.empty()) recording_ = folder / "recording.h5";
  if (summary_.empty() && !summary_to_stdout_) summary_ = folder / "summary.json";
}

void RunOutput::discard() {
  std::error_code ignored;
  while (!made_.empty()) {
    fs::remove(made_.back(), ignored);
    made_.pop_back();
  }
}

}  // namespace cardhouse::cli
