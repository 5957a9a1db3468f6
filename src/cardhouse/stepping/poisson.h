// Poisson's restitution, by compression and decompression (Anitescu & Hart 2003, section 3; Anitescu 2003).
//
// A step in which contacts collide solves twice. The compression takes no time: from the velocities at the start to
// those with which no colliding contact approaches. The decompression is the step's own solve, from there on and with
// all forces, in which every contact that was compressed with r_C pushes with at least e r_C. With one e for all
// contacts neither friction nor the number of contacts can make it gain energy: the decompression's friction dissipates
// no less than e times the compression's would, and with that the energy is at most e² of what the compression took.
// Steps without a collision are those of the two-step scheme.
#pragma once

#include "cardhouse/stepping/two_step.h"

namespace cardhouse {

/// One step: the state moves to its end.
const StepReport& poisson_step(TwoStep& verbs, const Model& model, State& state);

}  // namespace cardhouse
