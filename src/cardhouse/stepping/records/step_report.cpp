#include "cardhouse/stepping/records/step_report.h"

#include <algorithm>

namespace cardhouse {

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& other) {
  collision += other.collision;
  assembly += other.assembly;
  solve += other.solve;
  integrate += other.integrate;
  return *this;
}

void StepReport::add_cost(const StepReport& attempt) {
  iterations += attempt.iterations;
  passes += attempt.passes;
  rescues.add(attempt.rescues);
  add_methods(attempt.methods, methods);
  seconds += attempt.seconds;
}

void StepReport::include_earlier(const StepReport& before) {
  certificate.include(before.certificate);
  gap_residual = std::max(gap_residual, before.gap_residual);
  relaxed_rows += before.relaxed_rows;
  overlap_left = std::max(overlap_left, before.overlap_left);
  kept_overlaps = std::max(kept_overlaps, before.kept_overlaps);
  kept_depth = std::max(kept_depth, before.kept_depth);
  hairline_rows += before.hairline_rows;
  indefinite_potentials = std::max(indefinite_potentials, before.indefinite_potentials);
  hairline_gap = std::max(hairline_gap, before.hairline_gap);
  if (warning.empty()) warning = before.warning;
  contacts = std::max(contacts, before.contacts);
  islands = std::max(islands, before.islands);
  penetration = std::max(penetration, before.penetration);
  work += before.work;
  impulse += before.impulse;
  if (before.diagnosis) include(*before.diagnosis);
  add_cost(before);
}

void StepReport::include(const Diagnosis& other) {
  if (!diagnosis) diagnosis.emplace();
  merge(*diagnosis, other);
}

}  // namespace cardhouse
