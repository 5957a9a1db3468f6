// Implicit potentials, as compliant rows. With g and H the gradient and the Hessian at the start of the step, u the
// rate of d, and e a principal axis of curvature λ > 0, the impulse along e of the force at the end, −(g + h H u), is
//
//     e·u + e·g/(h λ) + r/(h² λ) = 0,
//
// as of a spring (spring_rows.h). Along axes with λ ≤ 0 the force is that of the start: an implicit one would make A
// indefinite. How many potentials have such axes is told.
#pragma once

#include <vector>

#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

/// Appends the rows; returns how many potentials have a negative curvature, which is left out.
int add_potential_rows(const Model& model, const State& state, const StepSettings& settings,
                       std::vector<JointRows>& rows);

}  // namespace cardhouse
