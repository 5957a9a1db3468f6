#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cardhouse::cli {

/// Where a run's files go. Nothing is made before create().
class RunOutput {
 public:
  struct Options {
    std::string folder;            ///< --out; empty: a new one under out/, if any file needs it
    std::string summary;           ///< --summary; empty: in the folder; "-": standard output
    std::string recording;         ///< --record; empty: in the folder
    std::string scene;             ///< for the name of a new folder
    std::filesystem::path source;  ///< what is read from and must not be overwritten; need not be a file
  };
  /// Throws InputError when a file could not be put where it is asked for, before anything has been made.
  explicit RunOutput(const Options& options);

  /// Makes the folder.
  void create();
  /// Removes the folders that create() made, if they are empty.
  void discard();

  bool summary_to_stdout() const { return summary_to_stdout_; }
  const std::filesystem::path& summary() const { return summary_; }
  const std::filesystem::path& recording() const { return recording_; }

 private:
  void check_own_files() const;
  /// Whether a file goes there.
  bool needs_folder() const;

  Options options_;
  bool summary_to_stdout_ = false;
  std::filesystem::path summary_;
  std::filesystem::path recording_;
  std::vector<std::filesystem::path> made_;  ///< outermost first
};

}  // namespace cardhouse::cli
