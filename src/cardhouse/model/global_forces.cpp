#include "cardhouse/model/global_forces.h"

namespace cardhouse {
namespace {

bool moves(const Body& body) {
  return body.mobility == Mobility::dynamic;
}

FieldValue field_at(const SourceTree& sources, const GlobalForces& forces, const Vec3& x, int own) {
  if (sources.size() < forces.tree_from) return sources.evaluate_by_sum(x, own, forces.softening);
  return sources.evaluate_by_tree(x, own, forces.softening, forces.opening_angle);
}

/// Half of Σ_i w_i φ(x_i) over the dynamic bodies, where other bodies count twice: each pair once.
double pair_energy(const Model& model, const State& state, const SourceTree& sources, std::span<const int> index,
                   double Body::*weight) {
  double sum = 0.0;
  SourceTree still;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (index[i] >= 0 && !moves(model.bodies[i])) still.add(state.bodies[i].pose.position, model.bodies[i].*weight);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (index[i] < 0 || !moves(model.bodies[i])) continue;
    const Vec3& x = state.bodies[i].pose.position;
    const double potential = field_at(sources, model.global_forces, x, index[i]).potential +
                             still.evaluate_by_sum(x, -1, model.global_forces.softening).potential;
    sum += 0.5 * model.bodies[i].*weight * potential;
  }
  return sum;
}

}  // namespace

bool acts(const GlobalForces& forces) {
  return forces.gravitation != 0.0 || forces.electrostatics != 0.0;
}

void GlobalField::gather(const Model& model, const State& state) {
  const auto gather_one = [&](double constant, double Body::*weight, SourceTree& sources, std::vector<int>& index) {
    sources.clear();
    index.assign(model.bodies.size(), -1);
    if (constant == 0.0) return;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (model.bodies[i].*weight == 0.0) continue;
      index[i] = sources.size();
      sources.add(state.bodies[i].pose.position, model.bodies[i].*weight);
    }
    if (sources.size() >= model.global_forces.tree_from) sources.build();
  };
  gather_one(model.global_forces.gravitation, &Body::mass, masses_, mass_index_);
  gather_one(model.global_forces.electrostatics, &Body::charge, charges_, charge_index_);
}

void GlobalField::add_forces(const Model& model, const State& state, std::span<Wrench> wrenches) {
  const GlobalForces& forces = model.global_forces;
  gather(model, state);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!moves(body)) continue;
    const Vec3& x = state.bodies[i].pose.position;
    if (mass_index_[i] >= 0) {
      wrenches[i].force += forces.gravitation * body.mass * field_at(masses_, forces, x, mass_index_[i]).gradient;
    }
    if (charge_index_[i] >= 0) {
      wrenches[i].force -=
          forces.electrostatics * body.charge * field_at(charges_, forces, x, charge_index_[i]).gradient;
    }
  }
}

double GlobalField::energy(const Model& model, const State& state) {
  gather(model, state);
  const GlobalForces& forces = model.global_forces;
  return -forces.gravitation * pair_energy(model, state, masses_, mass_index_, &Body::mass) +
         forces.electrostatics * pair_energy(model, state, charges_, charge_index_, &Body::charge);
}

}  // namespace cardhouse
