// Measuring one solver on one problem for 'cardhouse compare'.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/report/comparison.h"
#include "cardhouse/world/scene.h"

namespace cardhouse::cli {

struct CompareLimits {
  double tolerance = 1e-8;   ///< of the natural-map error (files) or the residual (scenes)
  double max_seconds = 0.0;  ///< wall, of one solve or one scene's run; 0: no limit
  int repeat = 1;
  bool stages = false;  ///< counts which stage of `auto` ended which solve
};

/// A row without its names. Solves to the tolerance, and for the time alone to each of compared_tolerances.
ComparisonRow measure_file(const ContactProblem& problem, const std::string& solver, const CompareLimits& limits);

struct MeasuredRun {
  ComparisonRow row;
  std::vector<double> residuals;  ///< of each step
};
/// Runs the scene to its duration. For its stages each step's problem is solved once more, apart from the time that is
/// measured. Not further than a step that the solver does not support. Empty when the user ended
/// it.
std::optional<MeasuredRun> measure_scene(const Scene& scene, const std::string& solver, const CompareLimits& limits);

}  // namespace cardhouse::cli
