#include "cardhouse/stepping/rescue/split_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "cardhouse/stepping/records/carried_impulses.h"
#include "cardhouse/stepping/records/record_step.h"

namespace cardhouse {
namespace {

void add_cost(const StepReport& other, StepReport& report) {
  report.iterations += other.iterations;
  report.rescues.add(other.rescues);
  add_methods(other.methods, report.methods);
  report.seconds.collision += other.seconds.collision;
  report.seconds.assembly += other.seconds.assembly;
  report.seconds.solve += other.seconds.solve;
  report.seconds.integrate += other.seconds.integrate;
}

/// Merges the report of the parts before into that of the last part: worst values and sums.
void add_part_before(const StepReport& before, StepReport& report) {
  Certificate& c = report.certificate;
  c.residual = std::max(c.residual, before.certificate.residual);
  c.approach_speed = std::max(c.approach_speed, before.certificate.approach_speed);
  c.complementarity = std::max(c.complementarity, before.certificate.complementarity);
  c.missing_dissipation = std::max(c.missing_dissipation, before.certificate.missing_dissipation);
  c.cone_excess = std::max(c.cone_excess, before.certificate.cone_excess);
  report.relaxed_rows += before.relaxed_rows;
  report.overlap_left = std::max(report.overlap_left, before.overlap_left);
  report.hairline_rows += before.hairline_rows;
  report.hairline_gap = std::max(report.hairline_gap, before.hairline_gap);
  if (report.warning.empty()) report.warning = before.warning;
  report.contacts = std::max(report.contacts, before.contacts);
  report.islands = std::max(report.islands, before.islands);
  report.penetration = std::max(report.penetration, before.penetration);
  report.work += before.work;
  if (report.diagnosis && before.diagnosis) {
    merge(*report.diagnosis, *before.diagnosis);
  } else if (before.diagnosis) {
    report.diagnosis = before.diagnosis;
  }
  add_cost(before, report);
}

std::string words_of_parts(int parts, const std::string& warning) {
  std::string words = fmt::format("too hard in one step: taken in {} parts", parts);
  if (!warning.empty()) words += "; " + warning;
  return words;
}

}  // namespace

bool SplitStep::take_part(int length, StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  const double h = verbs.settings().step;
  part_start_ = state;
  verbs.allow({.unrounded_gaps = false, .closed_hairlines = length == 1});
  const StepReport& part = step_of_length(h * length / most_parts, h, program, verbs, model, state);
  verbs.set_step(h);
  if (!part.certified) {
    add_cost(part, spent_);
    only_hard_ = part.hard;
    state = part_start_;
    return false;
  }
  const StepReport before = report_;
  report_ = part;
  if (parts_ > 0) add_part_before(before, report_);
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
  parts_ = 0;
  int length = most_parts / 2;
  int in_vain = 0;
  for (int done = 0; done < most_parts;) {
    if (take_part(length, program, verbs, model, state)) {
      done += length;
      if (done == most_parts) complete(verbs, state);
      // Twice as long, if that ends on the grid of a step halved as often.
      if (done % (2 * length) == 0 && done < most_parts) length *= 2;
    } else if (length == 1 || !only_hard_ || ++in_vain >= verbs.settings().max_rescues) {
      return false;
    } else {
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
  spent_ = {};
  add_cost(report_, spent_);
  state = start_;
  const bool in_parts = take_parts(program, verbs, model, state);
  spent_.rescues.count(Rescue::parts, in_parts);
  if (!in_parts) {
    if (parts_ > 0) add_cost(report_, spent_);
    state = start_;
    verbs.allow({.unrounded_gaps = false, .closed_hairlines = true});
    report_ = program(verbs, model, state);
  }
  add_cost(spent_, report_);
}

const StepReport& SplitStep::take(StepProgram program, TimeStepping& verbs, const Model& model, State& state) {
  start_ = state;
  verbs.allow({.unrounded_gaps = true, .closed_hairlines = false});
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
