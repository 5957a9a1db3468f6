// The step as settings ask for it: the time stepping (time_stepping.h) with hard or soft contacts, Poisson's
// restitution, steps of adaptive length, BDF2 for soft contacts; hard steps in parts.
#pragma once

#include <memory>

#include "cardhouse/stepping/rescue/split_step.h"
#include "cardhouse/stepping/schemes/adaptive.h"
#include "cardhouse/stepping/schemes/bdf2.h"

namespace cardhouse {

class Stepper {
 public:
  /// Throws InputError for an unknown solver.
  Stepper(const Model& model, const StepSettings& settings);

  /// One step: the state moves to its end.
  const StepReport& step(const Model& model, State& state);

  const StepSettings& settings() const { return settings_; }
  const StepReport& report() const { return may_split_ ? split_.report() : last().report(); }
  /// The contacts of the last step, sorted by key. BDF2's impulses are those of its force over the whole step.
  std::span<const ContactRecord> contacts() const;
  /// The joints of the last step, as TimeStepping::joints.
  std::span<const JointRecord> joints() const;
  /// J: what the springs of soft contacts hold at the end of the last step.
  double spring_energy() const;
  /// The contact problem of the last step, put together from its islands; empty before the first.
  StepProblem last_problem() const { return last().last_problem(); }

 private:
  const TimeStepping& last() const { return bdf2_ ? bdf2_->last() : *whole_; }

  StepSettings settings_;
  StepProgram program_;
  AdaptiveStep adaptive_;
  SplitStep split_;
  std::unique_ptr<TimeStepping> whole_;
  std::unique_ptr<Bdf2Step> bdf2_;  ///< when the settings ask for it
  bool may_split_ = false;          ///< the last step was taken whole or in parts
};

}  // namespace cardhouse
