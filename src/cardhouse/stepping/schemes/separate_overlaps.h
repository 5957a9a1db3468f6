// Bodies that overlap are moved apart before a run, as little as possible in the metric of their masses. With Theta the
// violation of joints, each round solves
//
//     minimise ½ Δᵀ M Δ   over   n·Δ + gap ≥ 0 at near contacts,   J Δ + Theta = 0 at joints
//
// and moves the bodies by Δ, until no overlap is more than the gap rounding. It is the contact problem without friction
// in which Δ has the place of the velocities and gap that of gap/h. Velocities stay.
#pragma once

#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

struct Separation {
  int rounds = 0;         ///< 0: nothing overlapped
  int body = -1;          ///< that was moved farthest; −1: none was
  double distance = 0.0;  ///< m: how far its centre, or one of its nodes, was moved
};

/// Throws InputError, with the names of two bodies, where they cannot be moved apart.
Separation separate_overlaps(const Model& model, const StepSettings& settings, State& state);

}  // namespace cardhouse
