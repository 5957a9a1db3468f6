#include "cardhouse/stepping/split_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace cardhouse {
namespace {

/// Impulses are forces over a step; these are of one `factor` times as long.
void scale_impulses(State& state, double factor) {
  for (StoredImpulse& stored : state.impulses) {
    stored.impulse *= factor;
    stored.turning *= factor;
  }
  for (JointState& joint : state.joints) {
    for (double& impulse : joint.impulse) impulse *= factor;
  }
}

void scale_impulses(std::vector<ContactRecord>& contacts, std::vector<JointRecord>& joints, double factor) {
  for (ContactRecord& contact : contacts) {
    contact.impulse *= factor;
    contact.turning *= factor;
  }
  for (JointRecord& joint : joints) {
    joint.impulse *= factor;
    joint.torque *= factor;
    for (double& drive : joint.drive) drive *= factor;
  }
}

void add_cost(const StepReport& other, StepReport& report) {
  report.iterations += other.iterations;
  report.seconds.collision += other.seconds.collision;
  report.seconds.assembly += other.seconds.assembly;
  report.seconds.solve += other.seconds.solve;
  report.seconds.integrate += other.seconds.integrate;
}

/// The report of several parts: the last one's, with the worst and the sum of what came before it.
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
  report.penetration = before.penetration;  // at the start of the step
  if (report.diagnosis && before.diagnosis) merge(*report.diagnosis, *before.diagnosis);
  add_cost(before, report);
}

std::string in_parts(int parts, const std::string& warning) {
  std::string words = fmt::format("too hard in one step: taken in {} parts", parts);
  if (!warning.empty()) words += "; " + warning;
  return words;
}

}  // namespace

/// Ends early with a part that is not certified.
void SplitStep::take(const StepAttempt& attempt, StepProgram program, TwoStep& verbs, const Model& model,
                     State& state) {
  const double h = verbs.settings().step;
  verbs.close_hairlines(attempt.closes_hairlines);
  if (attempt.parts == 1) {
    report_ = program(verbs, model, state);
    return;
  }
  scale_impulses(state, 1.0 / attempt.parts);
  verbs.set_step(h / attempt.parts);
  report_ = program(verbs, model, state);
  for (int part = 1; part < attempt.parts && report_.certified; ++part) {
    const StepReport before = report_;
    report_ = program(verbs, model, state);
    add_part_before(before, report_);
  }
  verbs.set_step(h);
  scale_impulses(state, attempt.parts);
  contacts_.assign(verbs.contacts().begin(), verbs.contacts().end());
  joints_.assign(verbs.joints().begin(), verbs.joints().end());
  scale_impulses(contacts_, joints_, attempt.parts);
  state.step = start_.step + 1;
  state.time = start_.time + h;
  report_.length = h;
  report_.parts = attempt.parts;
  report_.warning = in_parts(attempt.parts, report_.warning);
}

const StepReport& SplitStep::take(StepProgram program, TwoStep& verbs, const Model& model, State& state) {
  start_ = state;
  StepReport spent;  // on attempts before
  for (const StepAttempt& attempt : step_attempts) {
    if (&attempt != std::begin(step_attempts)) {
      add_cost(report_, spent);
      state = start_;
    }
    take(attempt, program, verbs, model, state);
    if (report_.certified || (attempt.parts == 1 && !verbs.may_be_tried_harder())) break;
  }
  add_cost(spent, report_);
  return report_;
}

}  // namespace cardhouse
