// A step whose contact problem `auto` gives up is taken again in parts (docs/contact-model.md).
//
// A shorter step asks for another answer: gap/h grows and what forces do in it shrinks, so that other contacts open,
// stick and slip. Every part has its own problem and its own certificate, and the step is certified when all of its
// parts are.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/stepping/two_step.h"

namespace cardhouse {

/// A way to take a step.
struct StepAttempt {
  int parts = 1;
  bool closes_hairlines = false;  ///< where nothing else helps (stepping/hairline_gaps.h)
};

/// What is tried in turn until a step is certified. First with the rows as they are; the last is kept as it comes.
inline constexpr StepAttempt step_attempts[] = {{1, false}, {2, false}, {4, false}, {8, false}, {16, false},
                                                {1, true},  {2, true},  {4, true},  {1, true}};

class SplitStep {
 public:
  /// One step of the length that the verbs have, in one part wherever that is certified.
  const StepReport& take(StepProgram program, TwoStep& verbs, const Model& model, State& state);

  const StepReport& report() const { return report_; }
  /// Of the last step: its last part's, with the impulses of their forces over the whole step.
  std::span<const ContactRecord> contacts() const { return contacts_; }
  std::span<const JointRecord> joints() const { return joints_; }

 private:
  void take(const StepAttempt& attempt, StepProgram program, TwoStep& verbs, const Model& model, State& state);

  State start_;
  StepReport report_;
  std::vector<ContactRecord> contacts_;
  std::vector<JointRecord> joints_;
};

}  // namespace cardhouse
