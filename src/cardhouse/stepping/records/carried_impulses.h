// Impulses that a state carries from step to step, where steps differ in length.
//
// The next step starts its solve from them. They also give forces r/h: the anchors of soft contacts (soft_contact.h)
// and the geometric stiffness of joints. Therefore a state always carries impulses of steps of one length, that of its
// settings (with adaptive steps the largest), whatever the length of the step that they were found in. A collision's
// impulse is the same in a step of any length; for it this is too much when the next step is longer: the solve starts
// farther off, or the stiffness is too large for a step. The other way round, a load that hangs on light links would
// shake them.
#pragma once

#include <span>

#include "cardhouse/model/state.h"
#include "cardhouse/stepping/records/step_report.h"
#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

/// Scales the impulses of a state, or of records, to those of the same forces in a step `factor` times as long.
void scale_impulses(State& state, double factor);
void scale_impulses(std::span<ContactRecord> contacts, std::span<JointRecord> joints, double factor);

/// One step of the length h (s) by an integrator, from and to a state with the impulses of steps of the length `whole`.
/// The verbs keep h.
const StepReport& step_of_length(double h, double whole, StepProgram program, TimeStepping& verbs, const Model& model,
                                 State& state);

}  // namespace cardhouse
