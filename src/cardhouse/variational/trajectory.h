// Runs of the integrators and what is kept of them.
#pragma once

#include "cardhouse/variational/integrator.h"

namespace cardhouse {

/// Points of a run, the start among them, and what holds for all of its steps.
struct Trajectory {
  std::vector<double> times;     ///< s
  std::vector<VecX> positions;   ///< m
  std::vector<VecX> velocities;  ///< m/s
  std::vector<double> energies;  ///< J
  double lowest_energy = 0.0;    ///< J, over all steps, kept or not
  double highest_energy = 0.0;   ///< J
  double largest_rise = 0.0;     ///< J, of a step's energy above the lowest one before it
  int uncertified_steps = 0;     ///< whose equations were not solved to their tolerances
  double worst_residual = 0.0;   ///< of the certificates (−)
  int most_iterations = 0;       ///< of Newton, in one step
};

struct RunSettings {
  Integrator integrator = Integrator::half_step;
  double h = 1e-3;  ///< s
  int steps = 0;
  int every = 1;  ///< one of this many points is kept, and the last one
  MinimisationSettings minimisation;
};

/// Throws InputError for what can't be run.
Trajectory run_system(const MechanicalSystem& system, const PhasePoint& start, const RunSettings& settings);

}  // namespace cardhouse
