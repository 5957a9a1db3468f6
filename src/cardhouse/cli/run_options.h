// The words of the command `run`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cardhouse::cli {

struct RunOptions {
  std::vector<std::string> words;
  std::optional<double> duration;
  std::optional<double> step;
  std::optional<std::string> solver;
  std::optional<std::string> contact;
  std::optional<std::string> restitution;
  std::optional<std::string> initial_overlaps;
  std::optional<std::string> adaptive;
  std::optional<double> least_step;
  std::optional<double> error_tolerance;
  std::optional<double> tolerance;
  double max_step_seconds = 0.0;
  double max_seconds = 0.0;  ///< the former name of that
  std::optional<int> max_rescues;
  std::optional<int> threads;
  double frames_per_second = 60.0;
  std::string out;
  std::string summary;
  std::string record;
  std::string from;
  std::vector<std::pair<std::string, std::string>> dumps;  ///< which steps, and the folder
  std::string until;                                       ///< "fallen", "rest", or empty: the duration
  bool strict = false;
  bool diagnose = false;
  bool quiet = false;
  bool project_joints = false;
};

/// Adds them to the command; `options` must outlive the parsing.
void add_run_options(CLI::App& command, RunOptions& options);

}  // namespace cardhouse::cli
