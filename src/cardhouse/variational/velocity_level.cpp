#include "cardhouse/variational/velocity_level.h"

namespace cardhouse {

StepQuality step_velocity_level(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                                StepEquations& equations, VecX& w, PhasePoint& state) {
  equations.momentum.noalias() = system.mass.lazyProduct(state.v);
  equations.base = state.q + 0.25 * h * state.v;  // Eq. 4.59
  equations.reach = 0.25 * h;
  equations.force_time = h;
  equations.position_rows = false;
  equations.contact_place = equations.base;
  equations.contacts.clear();
  for (std::size_t i = 0; i < system.obstacles.size(); ++i) {
    const Obstacle& obstacle = system.obstacles[i];
    if (obstacle.gap->value(place_of(obstacle, equations.base)) <= 0.0)
      equations.contacts.push_back({static_cast<int>(i)});
  }

  w = state.v;
  const StepQuality quality = minimisation.solve(equations, w);
  state.q += 0.5 * h * (state.v + w);
  state.v = w;
  state.time += h;
  return quality;
}

}  // namespace cardhouse
