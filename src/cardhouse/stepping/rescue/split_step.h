// A step whose contact problem the solver gives up is taken again in parts (docs/contact-model.md).
//
// A shorter step is another problem: gap/h grows and the effect of forces shrinks, so other contacts open, stick and
// slip. Every part has its own problem and its own certificate. The step is certified when all parts are. A part that
// is too hard is halved. After a part that succeeds, the next one is twice as long.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/stepping/schemes/time_stepping.h"

namespace cardhouse {

/// The shortest parts are the step's length over this. They may close hairline gaps (stepping/rescue/hairline_gaps.h).
inline constexpr int most_parts = 32;

class SplitStep {
 public:
  /// One step of the length that `verbs` has, in one part where that is certified, else in several. If no parts are
  /// certified, the step is taken whole, with hairline gaps closed if that is certified.
  const StepReport& take(StepProgram program, TimeStepping& verbs, const Model& model, State& state);

  const StepReport& report() const { return report_; }
  /// Of the last step, if it was taken in parts: those of all parts, with their impulses added up.
  std::span<const ContactRecord> contacts() const { return contacts_; }
  std::span<const JointRecord> joints() const { return joints_; }

 private:
  /// Attempts in vain that the step may still make (StepSettings::max_rescues).
  int budget_left(const TimeStepping& verbs) const;
  /// The pass with that budget.
  void allow(TimeStepping& verbs, RescuePass pass) const;
  /// One part, so many times as long as the shortest; whether it is certified.
  bool take_part(int length, StepProgram program, TimeStepping& verbs, const Model& model, State& state);
  /// Whether all parts are certified.
  bool take_parts(StepProgram program, TimeStepping& verbs, const Model& model, State& state);
  void keep_records(const TimeStepping& verbs);
  void complete(const TimeStepping& verbs, State& state);
  void take_otherwise(StepProgram program, TimeStepping& verbs, const Model& model, State& state);

  State start_;
  State part_start_;
  StepReport report_;
  StepReport spent_;  ///< iterations and seconds of failed attempts
  int parts_ = 0;
  int failed_parts_ = 0;
  bool only_hard_ = true;  ///< why the last part was not certified
  std::vector<ContactRecord> contacts_, earlier_contacts_;
  std::vector<JointRecord> joints_, earlier_joints_;
};

}  // namespace cardhouse
