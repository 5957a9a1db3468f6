#include "cardhouse/variational/half_step.h"

namespace cardhouse {

StepQuality step_half_step(const MechanicalSystem& system, double h, CoupledMinimisation& minimisation,
                           StepEquations& equations, VecX& w, PhasePoint& state) {
  equations.momentum.noalias() = system.mass.lazyProduct(state.v);
  equations.base = state.q + 0.25 * h * state.v;
  equations.reach = 0.25 * h;
  equations.force_time = h;
  equations.position_rows = false;
  equations.contact_place = state.q;
  equations.contacts.clear();
  for (std::size_t i = 0; i < system.obstacles.size(); ++i) {
    const Obstacle& obstacle = system.obstacles[i];
    const Point x = place_of(obstacle, state.q);
    if (!(obstacle.gap->value(x) <= 0.0)) continue;
    const Point normal = obstacle.gap->gradient(x).normalized();
    equations.contacts.push_back({static_cast<int>(i), normal.dot(place_of(obstacle, state.v))});
  }

  w = state.v;
  const StepQuality quality = minimisation.solve(equations, w);
  state.q += 0.5 * h * (state.v + w);  // Eq. 4.54
  state.v = w;                         // Eq. 4.55
  state.time += h;
  return quality;
}

}  // namespace cardhouse
