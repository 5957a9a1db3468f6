// Parsing of command-line words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cardhouse::cli {

using Parameters = std::map<std::string, std::string>;

/// Checks for CLI::Option::check: a finite number above zero, at least zero, or a whole number from one to `most`.
/// `unit` shows in the message; empty for none.
CLI::Validator positive_number(const std::string& unit);
CLI::Validator non_negative_number(const std::string& unit);
/// In (0, 1).
CLI::Validator tolerance_number();
CLI::Validator positive_integer(int most);

/// An option's help with the solvers that it may name, one per line with what it is.
std::string solver_help(const std::string& what);

/// Whether a word names a file or a folder that is there.
bool is_file(const std::string& word);

/// The words after a command: an optional scene, then its parameters.
struct SceneWords {
  std::string scene;  ///< a file or a name; empty when left out
  Parameters parameters;
};
/// Throws InputError for a word that is not name=value, and for a parameter that is given twice.
SceneWords split_scene_words(const std::vector<std::string>& words);

/// The number of a step, from 1. Throws InputError, in the name of an option, with what was expected.
std::int64_t parse_step(const std::string& text, const std::string& option, const std::string& expected);

/// NAME@STEP as two words; the second is empty when there is no @.
std::pair<std::string, std::string> split_at_step(const std::string& text);

/// A step of a recording.
struct RecordingStep {
  std::filesystem::path recording;
  std::int64_t step = 0;
};
/// Reads RECORDING@STEP. Throws InputError.
RecordingStep parse_recording_step(const std::string& text);

/// --max-memory: takes effect when it is read.
void add_memory_option(CLI::App& command, const std::string& group = "Options");

}  // namespace cardhouse::cli
