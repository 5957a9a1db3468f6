// The integrators by name. Each is a short program in a file of its own.
#pragma once

#include <string_view>
#include <vector>

#include "cardhouse/variational/coupled_minimisation.h"

namespace cardhouse {

enum class Integrator {
  half_step,          ///< variational/half_step.h
  velocity_level,     ///< variational/velocity_level.h
  implicit_midpoint,  ///< variational/implicit_midpoint.h
  contact_newmark,    ///< variational/contact_newmark.h
};

std::string_view integrator_name(Integrator integrator);
const std::vector<Integrator>& all_integrators();

/// A system and the integrator that moves it. Keeps buffers between steps.
class Mover {
 public:
  /// The system must outlive it. Throws InputError for a step that is not > 0, for an unknown solver, and for friction
  /// where the integrator has none.
  Mover(const MechanicalSystem& system, Integrator integrator, double h, const MinimisationSettings& settings = {});

  /// One step of h: the state moves to its end.
  StepQuality step(PhasePoint& state);

 private:
  const MechanicalSystem& system_;
  Integrator integrator_;
  double h_;  ///< s
  CoupledMinimisation minimisation_;
  StepEquations equations_;
  VecX w_;
};

}  // namespace cardhouse
