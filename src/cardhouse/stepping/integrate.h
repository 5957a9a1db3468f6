#pragma once

#include <span>

#include "cardhouse/stepping/predict.h"
#include "cardhouse/stepping/twist.h"

namespace cardhouse {

/// What a moving body moves with: its part of an island's velocities v, which begins at `offset` and is passed over;
/// along axes that it does not have, its free motion.
Twist solved_twist(const Body& body, const Prediction& prediction, const VecX& v, int& offset);

/// A moving body at the end of the step.
BodyState moved_body(const Body& body, const Prediction& prediction, const Twist& twist, const StepSettings& settings,
                     BodyState s);

/// Poses, velocities and clock to the end of the step.
void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const Twist> twists,
               const StepSettings& settings, State& state);

}  // namespace cardhouse
