// Nonlinear projection of positions onto the joints: near poses, in the metric of the masses, at which no joint is
// violated (Anitescu's 2003 slides name it, and one step of it, as alternatives to gamma). With Theta at the present
// poses, and J and A where the rows were linearised, solve
//
//     minimise ½ Δᵀ A Δ + ½ (Theta + J Δ)ᵀ D⁻¹ (Theta + J Δ),   so   (A + Jᵀ D⁻¹ J) Δ = −Jᵀ D⁻¹ Theta
//
// and move by Δ, until nothing is left. D is so small that each step leaves about a millionth of the linear part of the
// violation. In closed loops, where rows may contradict each other, it is a fiftieth of the rows' mobility. What cannot
// be met is then shared, and loops that are off by a little are not turned by a lot.
//
// After a step of the motion J and A are those of its start, and velocities change by Δ/h: the joints then push along
// the rows of the step's own problem, as in SHAKE (Ryckaert, Ciccotti & Berendsen 1977), which keeps the energy.
// Rows of the end would brake: by h v²/(2 L²) of the speed per second in a pendulum.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/model/model.h"
#include "cardhouse/model/state.h"
#include "cardhouse/optimization/body_graph_factor.h"

namespace cardhouse {

/// Steps after which a projection ends; from a step's small violations two or three do, in loops some ten.
inline constexpr int most_projection_steps = 50;

/// (−): what a step leaves of a joint's violation, D over the rows' mobility.
inline constexpr double tree_softness = 1e-6;
/// The same in closed loops: that of the rows' default compliance at h = 1 ms.
inline constexpr double loop_softness = 0.02;

class JointProjector {
 public:
  explicit JointProjector(const Model& model);

  /// Takes A and J at these poses. False when they can't be factorised (data not finite).
  bool linearise(const Model& model, const State& state);
  /// Moves the bodies with at most `iterations` steps, all with the last linearisation. With h > 0 velocities change by
  /// Δ/h too. Returns what is left.
  JointViolation descend(const Model& model, State& state, int iterations, double h);
  /// The multipliers of the joint's rows in the last descent, in the order of JointState's slots (kg m, kg m² rad).
  /// Divided by h they are a part of the rows' impulses.
  const std::array<double, JointState::constraint_slots>& push(int joint) const { return push_[joint]; }
  /// From where the bodies are, linearising anew in each step; velocities stay.
  JointViolation project(const Model& model, State& state);

 private:
  /// Fills D⁻¹ Theta at the present poses.
  JointViolation measure(const Model& model, const State& state);
  void fill_inertia(const Model& model, const State& state);
  void add_constraint(const Model& model, const Joint& joint, const JointConstraint& constraint, double softness);
  void add_side(const Model& model, int body, const Stencil& stencil, const FrameRows& rows, int count);
  void move(const Model& model, State& state, double h) const;
  void add_push();

  std::vector<int> bodies_;       ///< dynamic ones with joints, rising
  std::vector<int> block_;        ///< of each body of the model, its first; −1: none
  std::vector<double> softness_;  ///< D over the rows' mobility, per joint; 0: the joint is a spring and stays one
  BodyMatrix a_;
  BlockRows j_;
  std::vector<Mat3> inverse_d_;
  std::vector<int> joint_of_group_;
  std::vector<std::array<double, JointState::constraint_slots>> push_;  ///< one per joint
  VecX theta_, weighted_, right_, delta_, moved_;
  /// Cholesky, whose errors stay small beside the stiff rows. Explicit inverses of the pivots would turn the rows'
  /// large multipliers into motion along directions that the joints leave free. By pointer, so that the projector can
  /// be moved.
  std::unique_ptr<BodyGraphFactor> factors_;
};

}  // namespace cardhouse
