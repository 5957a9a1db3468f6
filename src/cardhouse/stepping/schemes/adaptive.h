// Steps of a length that the motion asks for, over any integrator of the house. StepSettings::step is the largest.
//
// By collision: the step ends where the free motion first closes a contact that is open, at the root t of
//
//     gap + t (n·v⁻ + t n·a) = 0        n·a = (n·v_free − n·v⁻)/h; half of it in the Moreau–Jean scheme
//
// so that bodies arrive with the velocity that they collide with. A collision sooner than the least step counts as now.
// With restitution it gets the least step, since a rebound lasts the whole step. Slow collisions fall into a step, as
// all do with fixed steps: those with no more speed than forces give in a largest step, and those that a largest step
// misplaces by less than the error tolerance. So a bouncing body comes to rest. Nothing is taken back.
//
// By error: a step is kept when the position that it leads to is, for no body, farther than the tolerance from that of
// the trapezoidal rule with the same velocities,
//
//     error = max over bodies of h/2 (‖v⁺ − v⁻‖ + R ‖w⁺ − w⁻‖),        R the farthest point from the centre of mass
//
// or when it is the least one; otherwise it is taken again, shorter. That is h²/2 times the acceleration where motion
// is smooth, and h/2 times the jump of velocity, the error of a collision's place, where it is not. The next step is
// √(tolerance/error) times as long, and at most twice.
#pragma once

#include <vector>

#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

/// The least step (s) of the settings, with the default filled in.
double least_step(const StepSettings& settings);

/// Time (s) until the first of the detected contacts is predicted to collide, between the least and the largest step;
/// the largest when none collides. `settings` and the predictions are those of the largest step.
double time_to_collision(const Model& model, const State& state, std::span<const Contact> contacts,
                         std::span<const Prediction> predictions, const StepSettings& settings);

class AdaptiveStep {
 public:
  AdaptiveStep(const Model& model, const StepSettings& settings);

  /// One step that ends at the next collision. The contacts are those of the largest step.
  const StepReport& to_collision(StepProgram program, TimeStepping& verbs, const Model& model, State& state);
  /// One step within the tolerance. What the next one tries is in the state.
  const StepReport& by_error(StepProgram program, TimeStepping& verbs, const Model& model, State& state);

  /// m, of a step from one to the other in h seconds.
  double error(const Model& model, const State& from, const State& to, double h) const;

 private:
  StepSettings settings_;
  std::vector<double> radii_;  ///< m, one per body
  State before_;
};

}  // namespace cardhouse
