// How far a world is to be stepped, and bringing it there.
#pragma once

#include <cstdint>

#include "cardhouse/cli/arguments.h"
#include "cardhouse/world/world.h"

namespace cardhouse::cli {

/// Steps that are left until the scene's duration; a last step that would be shorter than a millionth of a step is not
/// taken. Of adaptive steps: no more than this. Throws InputError for an absurd number.
std::int64_t steps_left(const Scene& scene, double time);

/// Whether a run is over that is to end at `last_step`, or, with adaptive steps, at the scene's duration.
bool is_over(const World& world, std::int64_t last_step);

/// Brings the world to the recorded step: from the last full state before it, stepping the rest again. Throws Cancelled
/// when the user ended it, and InputError when the rest can't be stepped again to the same bits.
void go_to(World& world, const RecordingStep& from);

}  // namespace cardhouse::cli
