#pragma once

#include <span>

#include "cardhouse/stepping/rows/twist.h"
#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// The twist of a dynamic body at the end of the step: its part of an island's velocities v, which begins at `offset`
/// (advanced past it). Along axes that the body does not have, it is the free motion.
Twist solved_twist(const Body& body, const Prediction& prediction, const VecX& v, int& offset);

/// A dynamic body at the end of the step.
BodyState moved_body(const Body& body, const Prediction& prediction, const Twist& twist, const StepSettings& settings,
                     BodyState s);

/// Poses, velocities and clock to the end of the step.
void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const Twist> twists,
               const StepSettings& settings, State& state);

}  // namespace cardhouse
