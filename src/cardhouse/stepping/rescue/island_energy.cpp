#include "cardhouse/stepping/rescue/island_energy.h"

#include "cardhouse/model/energy.h"
#include "cardhouse/stepping/schemes/integrate.h"

namespace cardhouse {
namespace {

/// The impulses of forces: the difference between the prediction and the state.
IslandEnergy body_energy(const Body& body, const BodyState& before, const Prediction& p, const Twist& twist,
                         const StepSettings& settings) {
  const BodyState after = moved_body(body, p, twist, settings, before);
  const Vec3 force = body.mass * (p.linear_drag * p.linear - before.linear);
  const Vec3 torque = p.angular_drag * p.angular_momentum - p.inertia * before.angular;
  const double kinetic = kinetic_energy(body, before);
  IslandEnergy result;
  result.gain = kinetic_energy(body, after) - kinetic - force.dot(twist.linear) - torque.dot(twist.angular);
  result.scale = kinetic + force.norm() / settings.step * radius_of_gyration(body);
  return result;
}

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

IslandEnergy island_energy(const Model& model, const State& state, std::span<const Prediction> predictions,
                           std::span<const Contact> contacts, const StepSettings& settings, const Island& island,
                           IslandSolve& s) {
  contact_velocity(s.problem, s.solution.r, s.solution.v, s.velocity);
  IslandEnergy sum;
  int offset = 0;
  for (const int body : island.bodies) {
    const Twist twist = solved_twist(model.bodies[body], predictions[body], s.solution.v, offset);
    const IslandEnergy one = body_energy(model.bodies[body], state.bodies[body], predictions[body], twist, settings);
    sum.gain += one.gain;
    sum.scale += one.scale;
  }
  sum.gain -= work_from_outside(contacts, settings.step, island, s);
  return sum;
}

}  // namespace cardhouse
