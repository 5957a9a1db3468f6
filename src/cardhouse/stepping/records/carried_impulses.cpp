#include "cardhouse/stepping/records/carried_impulses.h"

namespace cardhouse {

void scale_impulses(State& state, double factor) {
  for (StoredImpulse& stored : state.impulses) {
    stored.impulse *= factor;
    stored.turning *= factor;
  }
  for (JointState& joint : state.joints) {
    for (double& impulse : joint.impulse) impulse *= factor;
  }
}

void scale_impulses(std::span<ContactRecord> contacts, std::span<JointRecord> joints, double factor) {
  for (ContactRecord& contact : contacts) {
    contact.impulse *= factor;
    contact.turning *= factor;
  }
  for (JointRecord& joint : joints) {
    joint.impulse *= factor;
    joint.torque *= factor;
    for (double& drive : joint.drive) drive *= factor;
  }
}

const StepReport& step_of_length(double h, double whole, StepProgram program, TimeStepping& verbs, const Model& model,
                                 State& state) {
  verbs.set_step(h);
  scale_impulses(state, h / whole);
  const StepReport& report = program(verbs, model, state);
  scale_impulses(state, whole / h);
  return report;
}

}  // namespace cardhouse
