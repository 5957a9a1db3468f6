// The rows that joints put into the step's problem (Anitescu 2006, Eq. 5.1; docs/joints.md). With Theta the violation
// of a constraint, s a coordinate, and a dot for the rate that the bodies' twists give:
//
//     constraint       gamma Theta/h + Theta' + C r = 0
//     limits           (s − lower)/h + s' ≥ 0,  (upper − s)/h − s' ≥ 0     times gamma where they are passed
//     motor            s' = target speed, |r| ≤ h max_force     to a position: as fast as it can still stop there
//     motor, spring    r = h (k (target − s − h s') − d s'), |r| ≤ h max_force
//     friction         s' = 0, |r| ≤ h friction
#pragma once

#include <span>
#include <vector>

#include "cardhouse/laws/law.h"
#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/stepping/rows/motor_braking.h"
#include "cardhouse/stepping/schemes/predict.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// One group of rows of a joint, an implicit spring or an implicit potential, as assemble() takes it.
struct JointRows {
  int joint = 0;              ///< −1: of a spring or a potential
  int first = 0, second = 0;  ///< bodies; second −1: the world
  Stencil stencil_first, stencil_second;
  int slot = 0;  ///< of a joint: of its first row in JointState::impulse
  int rows = 0;
  Law law;
  Vec3 b = Vec3::Zero();      ///< without the motion of kinematic bodies
  double compliance = 0.0;    ///< m/s per N s, or rad/s per N m s
  Vec3 guess = Vec3::Zero();  ///< of a spring: the impulses to begin with
  FrameRows on_first = FrameRows::Zero();
  FrameRows on_second = FrameRows::Zero();
};

/// Writes the rows of a model's joints; keeps what never changes (loops) and its buffers.
class JointRowBuilder {
 public:
  explicit JointRowBuilder(const Model& model);

  /// In the order of the joints, then of the implicit springs and potentials. `state` must have its joints' entries
  /// (update_joints).
  const std::vector<JointRows>& build(const Model& model, const State& state, std::span<const Prediction> predictions,
                                      const StepSettings& settings);
  /// Those of the last call.
  std::span<const JointRows> built() const { return rows_; }
  /// For schemes whose rows ask for something else (stepping/schemes/energy_momentum.h).
  std::vector<JointRows>& changeable() { return rows_; }
  /// Of the last call: how many implicit potentials have a negative curvature, which is left out.
  int indefinite_potentials() const { return indefinite_potentials_; }
  /// Whether a joint is part of a closed loop.
  bool in_loop(int joint) const { return in_loop_[joint]; }

 private:
  double motor_speed(const Model& model, const State& state, std::span<const Prediction> predictions, int joint,
                     const JointGeometry& geometry, int c, double h) const;

  std::vector<bool> in_loop_;
  MotorBraking braking_;
  std::vector<JointRows> rows_;
  int indefinite_potentials_ = 0;
};

/// 1/kg or 1/(kg m²): the mean of the diagonal of J A⁻¹ Jᵀ over the rows.
double mobility_of(const Model& model, const Joint& joint, std::span<const Prediction> predictions,
                   const FrameRows& on_first, const FrameRows& on_second, int rows);

}  // namespace cardhouse
