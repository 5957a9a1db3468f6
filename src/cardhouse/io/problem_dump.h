#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cardhouse/world/world.h"

namespace cardhouse {

/// Writes the contact problems of chosen steps of a run as files (io/problem_file.h), named after scene and step. A
/// step that is not chosen costs a comparison.
class ProblemDump {
 public:
  enum class Which {
    step,        ///< the one with a given number
    worst,       ///< the one with the largest residual, the first of equals; written at the end
    uncertified  ///< each that is not certified
  };
  /// `step` counts from 1 and is read for Which::step alone. The folder is made with the first file.
  ProblemDump(Which which, std::int64_t step, std::filesystem::path folder, std::string scene);

  /// After each step. Steps without contacts have no problem.
  void see(const World& world);
  /// At the end of the run, however it ended.
  void finish();

  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  struct Worst {
    std::int64_t step = 0;
    double residual = 0.0;
    StepProblem problem;
  };

  void write(std::int64_t step, const StepProblem& problem);

  Which which_;
  std::int64_t step_;
  std::filesystem::path folder_;
  std::string scene_;
  std::optional<Worst> worst_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace cardhouse
