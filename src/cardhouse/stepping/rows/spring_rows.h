// Springs that are implicit, as compliant rows. A spring of stiffness k, damping d, length L and rest length L₀ between
// two points pulls with f = k (L − L₀) + d L' along n. With the length that it has at the end of the step, L + h L',
// its impulse r = −h f along the rate of the length is
//
//     L' + k (L − L₀)/(h k + d) + r/(h (h k + d)) = 0,
//
// an equality row with compliance: stable at any stiffness, and exact at rest. A taut spring also turns with its ends:
// across n it has the stiffness k (1 − L₀/L), in rows of their own without a bias. That of a slack one would be
// negative and is left out, as an indefinite part of an implicit force has to be.
#pragma once

#include <vector>

#include "cardhouse/stepping/rows/joint_rows.h"

namespace cardhouse {

/// Appends the rows of the model's implicit springs, with the impulse of their pull at the start as the guess.
void add_spring_rows(const Model& model, const State& state, const StepSettings& settings,
                     std::vector<JointRows>& rows);

}  // namespace cardhouse
