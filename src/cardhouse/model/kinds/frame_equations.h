#pragma once

#include <array>

#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {

/// The components of (v_x v_y v_z w_x w_y w_z) that a body has.
struct FrameDofs {
  int count = 0;
  std::array<int, 6> component{};
};

/// What bodies have in common that move as their frame does: rigid ones and particles. Damping is implicit, so that no
/// coefficient can overshoot: m (1 + h d) v⁺ = m v + h f + Jᵀ r. It brakes what contacts push as well, as if bodies had
/// more mass.
class FrameEquations : public BodyEquations {
 public:
  int dofs(const Body& body) const override { return frame_dofs(body).count; }
  void add_block(const Body& body, const Prediction& prediction, BodyMatrix& a, VecX& v_free,
                 int& offset) const override;
  void add_mass(const Body& body, const BodyState& state, BodyMatrix& a) const override;
  void add_rows(const Body& body, const Stencil& stencil, const FrameRows& rows, int count, const BodyMatrix& a,
                int first_block, BlockRows& j) const override;
  double mobility(const Body& body, const Prediction& prediction, const Stencil& stencil, const FrameRows& rows,
                  int count) const override;
  void take_velocities(const Body& body, const Prediction& prediction, const VecX& v, int& offset,
                       BodyMotion& motion) const override;
  void advance(const Body& body, const Prediction& prediction, const BodyMotion& motion, const StepRule& rule,
               BodyState& state) const override;
  void displace(const Body& body, std::span<const double> delta, double h, BodyState& state) const override;
  BodyState extrapolate(const Body& body, const BodyState& now, const BodyState& before) const override;
  bool has_mean_step() const override { return true; }
  MeanStep mean_step(const Body& body, const BodyState& start, const Prediction& free, const Push& push,
                     double h) const override;
  Prediction predict_mean(const Body& body, const BodyState& start, const Prediction& free, const MeanStep& step,
                          const Push& push) const override;
  Push push_of(const Body& body, const Prediction& mean, const BodyMotion& solved) const override;
  double kinetic_energy(const Body& body, const BodyState& state) const override;
  Momentum momentum(const Body& body, const BodyState& state) const override;
  Momentum drag_impulse(const Body& body, const BodyState& start, const BodyState& end, double h) const override;

  virtual FrameDofs frame_dofs(const Body& body) const = 0;

 protected:
  /// kg m², world axes, and its inverse, where the frame has this orientation; 0 about axes that it does not turn
  /// about.
  virtual std::pair<Mat3, Mat3> inertia_at(const Body& body, const Quat& orientation) const = 0;
  /// Fills W and the end of a body that turns, whose angular momentum changes to this (Simo & Wong 1991).
  virtual void turn_by_mean(const Body& body, const BodyState& start, const Vec3& momentum, double h,
                            MeanStep& step) const;
  /// kg m², world axes.
  virtual Mat3 world_inertia(const Body& body, const BodyState& state) const = 0;
  /// The angular velocity at the end of the step, at the new orientation.
  virtual Vec3 angular_velocity_after(const Body& body, const Prediction& prediction, const BodyMotion& motion,
                                      const Quat& after) const = 0;
  /// What is the same for all kinds: drags and the free motion along the axes that the body has.
  void predict_translation(const Body& body, const BodyState& state, const Wrench& load, const StepRule& rule,
                           Prediction& prediction) const;
};

}  // namespace cardhouse
