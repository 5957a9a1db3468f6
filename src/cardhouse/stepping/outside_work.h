// What is done on the moving bodies in a step by what has no energy of its own: prescribed motions, motors, torques and
// the caller's forces. What is missing from the energy beside it was dissipated.
#pragma once

#include <span>

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/step_report.h"

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

/// J. Forces count with the way that they push along, as those of potentials do; impulses of bodies that are moved with
/// the velocity of these.
double outside_work(const WorkInput& step);

/// Whether anything of a model works from outside, the caller's forces apart.
bool works_from_outside(const Model& model);

}  // namespace cardhouse
