#include "cardhouse/stepping/rescue/split_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "cardhouse/stepping/records/carried_impulses.h"
#include "cardhouse/stepping/records/record_step.h"

namespace cardhouse {
namespace {

std::string words_of_parts(int parts, const std::string& warning) {
  std::string words = fmt::format("too hard in one step: taken in {} parts", parts);
  if (!warning.empty()) words += "; " + warning;
  return words;
}

}  // namespace

int SplitStep::budget_left(const TimeStepping& verbs) const {
  const int of_parts = parts_ > 0 ? report_.rescues.in_vain() : 0;
  return std::max(verbs.settings().max_rescues - failed_parts_ - spent_.rescues.in_vain() - of_parts, 0);
}

void SplitStep::allow(TimeStepping& verbs, RescuePass pass) const {
  pass.budget = budget_left(verbs);
  verbs.allow(pass);
}

bool SplitStep::take_part(int length, StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  const double h = verbs.settings().step;
  part_start_ = state;
  allow(verbs, {.allowed = {true, false, true, length == 1}, .effort = Effort::usual});
  const StepReport& part = step_of_length(h * length / most_parts, h, program, verbs, model, state);
  verbs.set_step(h);
  if (!part.certified) {
    spent_.add_cost(part);
    only_hard_ = part.hard;
    state = part_start_;
    return false;
  }
  const StepReport before = report_;
  report_ = part;
  if (parts_ > 0) report_.include_earlier(before);
  keep_records(verbs);
  ++parts_;
  return true;
}

void SplitStep::keep_records(const TimeStepping& verbs) {
  earlier_contacts_.swap(contacts_);
  earlier_joints_.swap(joints_);
  contacts_.assign(verbs.contacts().begin(), verbs.contacts().end());
  joints_.assign(verbs.joints().begin(), verbs.joints().end());
  if (parts_ == 0) return;
  add_earlier_contacts(earlier_contacts_, contacts_);
  add_earlier_joints(earlier_joints_, joints_);
}

bool SplitStep::take_parts(StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  int length = most_parts / 2;
  for (int done = 0; done < most_parts;) {
    if (take_part(length, program, verbs, model, state)) {
      done += length;
      if (done == most_parts) complete(verbs, state);
      // Twice as long, if that ends on the grid of a step halved as often.
      if (done % (2 * length) == 0 && done < most_parts) length *= 2;
    } else {
      ++failed_parts_;
      if (length == 1 || !only_hard_ || budget_left(verbs) == 0) return false;
      length /= 2;
    }
  }
  return true;
}

void SplitStep::complete(const TimeStepping& verbs, State& state) {
  state.step = start_.step + 1;
  state.time = start_.time + verbs.settings().step;
  report_.length = verbs.settings().step;
  report_.parts = parts_;
  report_.warning = words_of_parts(parts_, report_.warning);
}

void SplitStep::take_otherwise(StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  spent_.add_cost(report_);
  state = start_;
  const bool in_parts = take_parts(program, verbs, model, state);
  spent_.rescues.count(Rescue::parts, in_parts);
  if (!in_parts) {
    if (parts_ > 0) spent_.add_cost(report_);
    state = start_;
    allow(verbs, {.allowed = {true, false, true, true}});
    report_ = program(verbs, model, state);
  }
  report_.add_cost(spent_);
}

const StepReport& SplitStep::take(StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  start_ = state;
  spent_ = {};
  parts_ = failed_parts_ = 0;
  const bool splits = verbs.settings().max_rescues > 0;
  allow(verbs, {.allowed = {true, true, true, false}, .effort = splits ? Effort::usual : Effort::thorough});
  report_ = program(verbs, model, state);
  if (!report_.hard) return report_;
  const double h = verbs.settings().step;
  try {
    take_otherwise(program, verbs, model, state);
  } catch (...) {  // of bodies that can't touch, or stopped: the state is that of the last whole step
    verbs.set_step(h);
    state = start_;
    throw;
  }
  return report_;
}

}  // namespace cardhouse
