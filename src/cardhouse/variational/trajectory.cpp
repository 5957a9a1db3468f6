#include "cardhouse/variational/trajectory.h"

#include <fmt/format.h>

#include <algorithm>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

void keep(const PhasePoint& state, double energy, Trajectory& trajectory) {
  trajectory.times.push_back(state.time);
  trajectory.positions.push_back(state.q);
  trajectory.velocities.push_back(state.v);
  trajectory.energies.push_back(energy);
}

}  // namespace

Trajectory run_system(const MechanicalSystem& system, const PhasePoint& start, const RunSettings& settings) {
  check_system(system, start);
  if (settings.steps < 0) throw InputError(fmt::format("steps = {}: must be ≥ 0", settings.steps));
  if (settings.every < 1) throw InputError(fmt::format("every = {}: must be ≥ 1", settings.every));
  Mover mover(system, settings.integrator, settings.h, settings.minimisation);
  PhasePoint state = start;
  Trajectory result;
  double energy = total_energy(system, state.q, state.v);
  result.lowest_energy = result.highest_energy = energy;
  keep(state, energy, result);
  for (int step = 1; step <= settings.steps; ++step) {
    const StepQuality quality = mover.step(state);
    // Not a sum of steps, whose rounding would grow.
    state.time = start.time + settings.h * step;
    energy = total_energy(system, state.q, state.v);
    result.largest_rise = std::max(result.largest_rise, energy - result.lowest_energy);
    result.lowest_energy = std::min(result.lowest_energy, energy);
    result.highest_energy = std::max(result.highest_energy, energy);
    result.uncertified_steps += quality.converged ? 0 : 1;
    result.worst_residual = std::max(result.worst_residual, quality.certificate.residual);
    result.most_iterations = std::max(result.most_iterations, quality.iterations);
    if (step % settings.every == 0 || step == settings.steps) keep(state, energy, result);
  }
  return result;
}

}  // namespace cardhouse
