// Poisson's restitution, by compression and decompression (Anitescu & Hart 2003, section 3; Anitescu 2003).
//
// A step in which contacts collide solves twice. The compression takes no time: it leads from the velocities at the
// start to those with which no colliding contact approaches. The decompression is the step's own solve from there, with
// all forces. Every contact that was compressed with r_C pushes with at least e r_C. With one e for all contacts the
// step cannot gain energy, whatever the friction and the number of contacts: the decompression's friction dissipates no
// less than e times the compression's would, so at most e² of what the compression took comes back. Steps without a
// collision are ordinary ones.
#pragma once

#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

/// One step: the state moves to its end.
const StepReport& poisson_step(TimeStepping& verbs, const Model& model, State& state);

}  // namespace cardhouse
