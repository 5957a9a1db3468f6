#pragma once

#include <span>

#include "cardhouse/stepping/predict.h"
#include "cardhouse/stepping/twist.h"

namespace cardhouse {

/// Poses, velocities and clock to the end of the step.
void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const Twist> twists,
               const StepSettings& settings, State& state);

}  // namespace cardhouse
