// What a step's settings say to its solvers.
#pragma once

#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// `step`: the deadline of the whole step; `judge`: prepared for every problem before it is solved. Both outlive the
/// solver; either may be none.
inline SolverOptions solver_options(const StepSettings& settings, double tolerance, const Deadline* step,
                                    const Certifier* judge = nullptr) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = settings.max_iterations;
  options.within = step;
  options.judge = judge;
  options.stop = settings.stop;
  return options;
}

}  // namespace cardhouse
