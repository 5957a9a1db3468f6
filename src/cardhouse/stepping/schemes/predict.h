// The predictor of a step (Kaufman 2009, Eq. 4.63–4.65, 5.3): where velocities would go without contacts.
//
// Rotation: with the angular momentum L = I(R) w after the torques' impulse, the free angular velocity w* of the step
// is the one of the midpoint, w* = I(exp(h/2 w*) R)⁻¹ L, or of five midpoint steps where the body turns fast. The step
// R ← exp(h w*) R is then symmetric in time, so that the energy of a free body does not drift, and L is kept exactly.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/model/global_forces.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// The free motion of one body over the step. Fixed and kinematic bodies: the twist that they will have.
struct Prediction {
  Vec3 linear = Vec3::Zero();   ///< m/s
  Vec3 angular = Vec3::Zero();  ///< rad/s
  Mat3 inertia = Mat3::Zero();  ///< kg m², world axes, at the start of the step
  Mat3 inverse_inertia = Mat3::Zero();
  Mat3 block_inertia =
      Mat3::Zero();  ///< what A gets: `inertia`, or more where joints pull hard (geometric_stiffness.h)
  Mat3 block_inverse = Mat3::Zero();
  Vec3 angular_momentum = Vec3::Zero();  ///< kg m²/s, after the torques' impulse
  double linear_drag = 1.0;              ///< 1 + h damping: what implicit damping multiplies the mass by (−)
  double angular_drag = 1.0;             ///< the same of the inertia
  Pose kinematic_pose;                   ///< at the end of the step
  bool converged = true;                 ///< false: the body spins too fast for the step, and energy is not kept
};

class Predictor {
 public:
  std::vector<Prediction>& predict(const Model& model, const State& state, const StepSettings& settings);
  /// Those of the last call.
  std::span<const Prediction> predicted() const { return predictions_; }
  /// Of the last call, per body: torques and the caller's forces, which no potential counts.
  std::span<const Wrench> outside_forces() const { return outside_; }

 private:
  std::vector<Wrench> wrenches_;
  std::vector<Wrench> outside_;
  std::vector<Prediction> predictions_;
  State midpoint_;
  GlobalField global_;
};

}  // namespace cardhouse
