// Overlaps that cannot all be removed in one step (docs/contact-model.md).
//
// Rows n·v + gamma gap/h ≥ 0 with gap < 0 may contradict each other, or other rows: a body between two walls that are
// closer than its size. The least relaxation s that makes them agree,
//
//     minimise Σ s_i²   over   n_i·v + b_i + s_i ≥ 0 where bodies overlap,  n_i·v + b_i ≥ 0 elsewhere, joints held
//
// is the limit c → 0 of the same contacts without friction, where overlapping ones have a compliance c: s = c r. It is
// solved twice, with c a millionth and a ten-thousandth of the contacts' mobility. Rows in conflict get the same s
// twice, the others a hundredth. No overlap may become deeper. Where the relaxation would ask for that, as between
// fixed walls, the rows in conflict get gamma 0. If others still disagree, all overlaps of the island stay. They also
// stay where rows agree without friction but not with it: a body wedged between walls, which friction holds against any
// push.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/rows/islands.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

struct OverlapRelaxation {
  int rows = 0;       ///< in conflict, and relaxed by more than rounding
  double left = 0.0;  ///< m: the largest part of an overlap that such a row leaves
};

class OverlapRelaxer {
 public:
  /// Relaxes b of the rows of overlaps where they conflict; otherwise leaves the problem as it is.
  /// `biases` are those of the normal rows; `deadline` is the step's.
  OverlapRelaxation relax(std::span<const Contact> contacts, const Island& island, const StepSettings& settings,
                          std::span<const double> biases, const Deadline* deadline, ContactProblem& problem);
  /// Whether any overlap of the last relax() is more than a hairline.
  bool any_deep() const { return deep_; }
  /// The problem without any push, after relax() was not enough.
  OverlapRelaxation leave_all(const StepSettings& settings, ContactProblem& problem) const;

 private:
  struct Row {
    int row = 0;           ///< of the problem
    double push = 0.0;     ///< m/s: gamma depth/h
    double coarse = 0.0;   ///< m/s: s of the softer contacts
    double relaxed = 0.0;  ///< m/s: s of the harder ones
    bool conflicts() const { return relaxed > 0.5 * coarse; }
  };

  void collect(std::span<const Contact> contacts, const Island& island, const StepSettings& settings,
               std::span<const double> biases, const ContactProblem& problem);
  bool find_least(const Island& island, const StepSettings& settings, const ContactProblem& problem, double softness,
                  double Row::*found);

  std::vector<Row> rows_;  ///< of overlaps
  bool deep_ = false;
  VecX asked_;  ///< b as it was
  const Deadline* deadline_ = nullptr;
  std::unique_ptr<Solver> solver_;
  ContactProblem soft_;
  ContactSolution solution_;
  Certifier certifier_;
};

}  // namespace cardhouse
