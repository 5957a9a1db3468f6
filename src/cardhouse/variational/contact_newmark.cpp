#include "cardhouse/variational/contact_newmark.h"

namespace cardhouse {
namespace {

// The trapezoidal member of Newmark's family: second order, and symplectic up to a change of variables.
constexpr double beta = 0.25;
constexpr double gamma = 0.5;

}  // namespace

StepQuality step_contact_newmark(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                                 StepEquations& equations, VecX& w, PhasePoint& state) {
  const VecX gradient_before = minimisation.potential_gradient(state.q);
  equations.momentum.noalias() = system.mass.lazyProduct(state.v);
  equations.momentum -= 0.5 * h * (1.0 - 2.0 * beta) * gradient_before;
  equations.base = state.q;
  equations.reach = h;
  equations.force_time = h * beta;
  equations.position_rows = true;
  equations.contacts.clear();
  for (std::size_t i = 0; i < system.obstacles.size(); ++i) equations.contacts.push_back({static_cast<int>(i)});

  w = state.v;
  const StepQuality quality = minimisation.solve(equations, w);
  state.q += h * w;
  VecX& impulse = equations.momentum;  // of the step: h (1 − γ) M a + h γ M a⁺ + h M a_c⁺
  impulse = 2.0 * minimisation.impulse() - h * (1.0 - gamma) * gradient_before;
  impulse -= h * gamma * minimisation.potential_gradient(state.q);
  minimisation.divide_by_mass(impulse, w);
  state.v += w;
  state.time += h;
  return quality;
}

}  // namespace cardhouse
