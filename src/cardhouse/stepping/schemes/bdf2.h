// BDF2 for soft contact (ETH contact mechanics slides). It asks for (3 x⁺ − 4 x + x₋)/(2h) = v⁺ and the same of
// velocities, which is one implicit Euler step of 2h/3 from the extrapolated state (4 x − x₋)/3, (4 v − v₋)/3. So it is
// made of the verbs of the time stepping; only the state that it starts from is another one. Orientations are
// extrapolated by a third of the last rotation. For spatial bodies the angular momentum takes the place of the angular
// velocity. The first step is of order 1.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

class Bdf2Step {
 public:
  /// Throws InputError for a model with joints.
  Bdf2Step(const Model& model, const StepSettings& settings);

  const StepReport& take(const Model& model, State& state);

  /// The verbs of the last step.
  const TimeStepping& last() const { return *last_; }
  /// Of the last step, with the impulses of its force over the whole of h.
  std::span<const ContactRecord> contacts() const;

 private:
  TimeStepping first_;       ///< of h
  TimeStepping two_thirds_;  ///< of 2h/3
  const TimeStepping* last_ = nullptr;
  State base_;                     ///< the extrapolated state
  std::vector<BodyMotion> moved_;  ///< from the state to the base
  std::vector<ContactRecord> scaled_;
};

}  // namespace cardhouse
