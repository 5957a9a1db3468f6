// What a step's settings say to its solvers.
#pragma once

#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

inline SolverOptions solver_options(const StepSettings& settings, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = settings.max_iterations;
  options.max_seconds = settings.max_seconds;
  options.stop = settings.stop;
  return options;
}

}  // namespace cardhouse
