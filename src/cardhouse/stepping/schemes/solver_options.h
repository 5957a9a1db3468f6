// What a step's settings say to its solvers.
#pragma once

#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// `step`: the deadline of the whole step, which outlives the solver; may be none.
inline SolverOptions solver_options(const StepSettings& settings, double tolerance, const Deadline* step) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = settings.max_iterations;
  options.within = step;
  options.stop = settings.stop;
  return options;
}

}  // namespace cardhouse
