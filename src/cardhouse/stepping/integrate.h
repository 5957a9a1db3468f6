#pragma once

#include <span>

#include "cardhouse/stepping/predict.h"

namespace cardhouse {

/// The twist that a body moves with during the step, after contacts.
struct StepTwist {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};

/// Poses, velocities and clock to the end of the step.
void integrate(const Model& model, std::span<const Prediction> predictions, std::span<const StepTwist> twists,
               const StepSettings& settings, State& state);

}  // namespace cardhouse
