// The step as settings ask for it: time stepping with hard or soft contacts, or soft ones by BDF2; Poisson's
// restitution; steps of adaptive length; hard ones in parts.
//
// BDF2 (ETH contact mechanics slides) asks for (3 x⁺ − 4 x + x₋)/(2h) = v⁺ and the same of velocities, which is one
// implicit Euler step of 2h/3 from the extrapolated state (4 x − x₋)/3, (4 v − v₋)/3. So it is made of the same verbs;
// only the state that it starts from is another one. Orientations are extrapolated by a third of the last rotation, and
// of spatial bodies the angular momentum takes the place of the angular velocity. The first step is of order 1.
#pragma once

#include <memory>

#include "cardhouse/stepping/rescue/split_step.h"
#include "cardhouse/stepping/schemes/adaptive.h"

namespace cardhouse {

class Stepper {
 public:
  /// Throws InputError for an unknown solver.
  Stepper(const Model& model, const StepSettings& settings);

  /// One step: the state moves to its end.
  const StepReport& step(const Model& model, State& state);

  const StepSettings& settings() const { return settings_; }
  const StepReport& report() const { return may_split_ ? split_.report() : last_->report(); }
  /// The contacts of the last step, sorted by key. BDF2's impulses are those of its force over the whole step.
  std::span<const ContactRecord> contacts() const;
  /// The joints of the last step, as TimeStepping::joints.
  std::span<const JointRecord> joints() const;
  /// J: what the springs of soft contacts hold at the end of the last step.
  double spring_energy() const;
  /// The contact problem of the last step, put together from its islands; empty before the first.
  StepProblem last_problem() const { return last_->last_problem(); }

 private:
  const StepReport& step_bdf2(const Model& model, State& state);

  StepSettings settings_;
  StepProgram program_;
  AdaptiveStep adaptive_;
  SplitStep split_;
  std::unique_ptr<TimeStepping> whole_;       ///< of h
  std::unique_ptr<TimeStepping> two_thirds_;  ///< of 2h/3, for BDF2
  const TimeStepping* last_ = nullptr;
  bool may_split_ = false;  ///< the last step was taken whole or in parts
  State base_;
  std::vector<Twist> moved_;  ///< from the state to the base
  std::vector<ContactRecord> scaled_;
};

}  // namespace cardhouse
