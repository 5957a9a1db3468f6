#include "cardhouse/model/energy.h"

#include "cardhouse/model/global_forces.h"
#include "cardhouse/model/kinds/equations.h"
#include "cardhouse/model/springs.h"

namespace cardhouse {

double kinetic_energy(const Body& body, const BodyState& s) {
  return equations_of(body).kinetic_energy(body, s);
}

Energy energy_of(const Model& model, const State& state) {
  Energy result;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.mobility != Mobility::dynamic) continue;
    const BodyState& s = state.bodies[i];
    result.kinetic += kinetic_energy(body, s);
    result.potential -= (body.mass * model.gravity + body.force).dot(s.pose.position);
    result.potential += equations_of(body).inner_energy(body, s);
  }
  for (const Spring& spring : model.springs) result.potential += spring_energy(spring, state);
  for (const PointPotential& given : model.potentials) result.potential += potential_energy(given, state);
  if (acts(model.global_forces)) result.potential += GlobalField().energy(model, state);
  return result;
}

}  // namespace cardhouse
