#pragma once

#include <span>

#include "cardhouse/stepping/schemes/predict.h"

namespace cardhouse {

/// Places, velocities and clock to the end of the step.
void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const BodyMotion> motions,
               const StepSettings& settings, State& state);

}  // namespace cardhouse
