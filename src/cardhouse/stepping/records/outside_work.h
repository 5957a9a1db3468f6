// Work on the dynamic bodies in a step by everything that has no potential energy: prescribed motions, motors, torques
// and the caller's forces. Dissipation is this work less the change of energy.
#pragma once

#include <span>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/records/step_report.h"

namespace cardhouse {

/// A step as far as the work needs it.
struct WorkInput {
  const Model& model;
  const State& start;  ///< bodies and joints
  const State& end;    ///< the same; its joints have the impulses of the step
  double step = 0.0;   ///< s
  std::span<const ContactRecord> contacts;
  std::span<const JointRecord> joints;
  std::span<const Wrench> forces;  ///< per body, those that no potential counts
};

/// J. The work of forces is counted along the bodies' paths, as that of potentials is. The work of contact impulses on
/// kinematic bodies is counted with these bodies' velocity.
double outside_work(const WorkInput& step);

/// Whether anything in a model does outside work, apart from the caller's forces.
bool works_from_outside(const Model& model);

}  // namespace cardhouse
