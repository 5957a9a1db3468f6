#include "cardhouse/cli/run_output.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "cardhouse/base/error.h"
#include "cardhouse/cli/places.h"

namespace fs = std::filesystem;

namespace cardhouse::cli {
namespace {

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
  if (!options.folder.empty()) check_own_files();
  if (options.folder.empty() && needs_folder()) check_folder("out", "the output folder");
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

/// Where a folder of that name is in the way of a file.
void RunOutput::check_own_files() const {
  for (const char* name : {"summary.json", "recording.h5"}) {
    const bool elsewhere =
        std::string_view(name) == "summary.json" ? summary_to_stdout_ || !summary_.empty() : !recording_.empty();
    const fs::path file = fs::path(options_.folder) / name;
    std::error_code ignored;
    if (!elsewhere && fs::is_directory(file, ignored)) {
      throw InputError(
          fmt::format("--out {}: {} is a folder, in the way of the file of that name", options_.folder, file.string()));
    }
  }
}

bool RunOutput::needs_folder() const {
  return recording_.empty() || (summary_.empty() && !summary_to_stdout_);
}

void RunOutput::create() {
  if (!needs_folder() && options_.folder.empty()) return;
  fs::path folder = options_.folder;
  if (folder.empty()) {
    made_ = make_folders("out");
    folder = make_numbered_folder(plain_name(options_.scene));
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
