#include "cardhouse/stepping/rescue/island_energy.h"

namespace cardhouse {
namespace {

/// J: done on the island's bodies by those whose motion is prescribed, whose velocity is what b has beside the bias,
/// and by joints, r·(J v). Of a solve with adhesion a the contact's impulse is r − h a n.
double work_from_outside(std::span<const Contact> contacts, double h, const Island& island, const IslandSolve& s) {
  const int own = static_cast<int>(island.contacts.size());
  const int joints_end = own + static_cast<int>(island.joint_rows.size());
  const VecX& r = s.solution.r;
  double work = -s.problem.b.dot(r);
  for (int g = 0; g < own; ++g) {
    const int row = s.problem.j.group(g).row;
    const double adhesion = h * contacts[island.contacts[g]].adhesion;
    work += s.biases[g] * r[row] + (s.problem.b[row] - s.biases[g]) * adhesion;
  }
  for (int g = own; g < joints_end; ++g) {
    const BlockRows::Group& rows = s.problem.j.group(g);
    for (int row = rows.row; row < rows.row + rows.dim; ++row) {
      work += r[row] * (s.velocity[row] - s.problem.compliance[row] * r[row]);
    }
  }
  return work;
}

}  // namespace

EnergyGain island_energy(const Model& model, const State& state, std::span<const Prediction> predictions,
                         std::span<const Contact> contacts, const StepSettings& settings, const Island& island,
                         IslandSolve& s) {
  contact_velocity(s.problem, s.solution.r, s.solution.v, s.velocity);
  EnergyGain sum;
  BodyMotion motion;
  int offset = 0;
  for (const int i : island.bodies) {
    const Body& body = model.bodies[i];
    equations_of(body).take_velocities(body, predictions[i], s.solution.v, offset, motion);
    const EnergyGain one =
        equations_of(body).energy_gain(body, state.bodies[i], predictions[i], motion, rule_of(settings));
    sum.gain += one.gain;
    sum.scale += one.scale;
  }
  sum.gain -= work_from_outside(contacts, settings.step, island, s);
  return sum;
}

}  // namespace cardhouse
