#include "cardhouse/variational/integrator.h"

#include <fmt/format.h>

#include <cmath>

#include "cardhouse/base/error.h"
#include "cardhouse/variational/contact_newmark.h"
#include "cardhouse/variational/half_step.h"
#include "cardhouse/variational/implicit_midpoint.h"
#include "cardhouse/variational/velocity_level.h"

namespace cardhouse {

std::string_view integrator_name(Integrator integrator) {
  switch (integrator) {
    case Integrator::half_step:
      return "half_step";
    case Integrator::velocity_level:
      return "velocity_level";
    case Integrator::implicit_midpoint:
      return "implicit_midpoint";
    case Integrator::contact_newmark:
      break;
  }
  return "contact_newmark";
}

const std::vector<Integrator>& all_integrators() {
  static const std::vector<Integrator> all = {Integrator::half_step, Integrator::velocity_level,
                                              Integrator::implicit_midpoint, Integrator::contact_newmark};
  return all;
}

Mover::Mover(const MechanicalSystem& system, Integrator integrator, double h, const MinimisationSettings& settings)
    : system_(system), integrator_(integrator), h_(h), minimisation_(system, settings) {
  if (!(h > 0.0) || !std::isfinite(h)) throw InputError(fmt::format("step = {} s: must be > 0 and finite", h));
  if (integrator != Integrator::contact_newmark) return;
  for (std::size_t i = 0; i < system.obstacles.size(); ++i) {
    if (system.obstacles[i].mu > 0.0) {
      throw InputError(fmt::format("obstacles[{}].mu = {}: contact_newmark has no friction: use 0 or half_step", i,
                                   system.obstacles[i].mu));
    }
  }
}

StepQuality Mover::step(PhasePoint& state) {
  switch (integrator_) {
    case Integrator::half_step:
      return step_half_step(system_, h_, minimisation_, equations_, w_, state);
    case Integrator::velocity_level:
      return step_velocity_level(system_, h_, minimisation_, equations_, w_, state);
    case Integrator::implicit_midpoint:
      return step_implicit_midpoint(system_, h_, minimisation_, equations_, w_, state);
    case Integrator::contact_newmark:
      break;
  }
  return step_contact_newmark(system_, h_, minimisation_, equations_, w_, state);
}

}  // namespace cardhouse
