// The solve of one island's contact problem, and what is done where it can't be solved as it is: overlaps that
// contradict each other are relaxed, problems that are only hard are tried harder (docs/contact-model.md).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/contact/diagnosis.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/hairline_gaps.h"
#include "cardhouse/stepping/overlap_relaxation.h"
#include "cardhouse/stepping/restituted_impulse.h"
#include "cardhouse/stepping/settings.h"

namespace cardhouse {

/// A contact whose row undoes an overlap only as far as that is paid for, or is moved ahead (paid_push.h).
struct Push {
  int contact = 0;           ///< its place in Island::contacts
  double open = 0.0;         ///< m/s: gap/h; else 0
  double speed = 0.0;        ///< m/s: depth/h; else 0
  double waiting = 0.0;      ///< m/s: as much of it may be left
  double turning = 0.0;      ///< rad/s: of the bodies against each other across the normal; 0 also where it is little
  Vec3 axis = Vec3::Zero();  ///< of that; unit
  double farthest = 0.0;     ///< m: that the row may be moved ahead
  double ahead = 0.0;        ///< m: that it is
};

/// What the solve of one island needs and leaves; slots are reused from step to step, so that a settled step
/// allocates nothing.
struct IslandSolve {
  ContactProblem problem;
  VecX guess;                       ///< what the solve began with
  VecX anchors;                     ///< of soft contacts
  VecX last;                        ///< impulses of the step before, for the lagged law
  std::vector<double> shifts;       ///< of the normal rows
  std::vector<Push> pushes;         ///< the rows among them that are changed
  double push_part = 1.0;           ///< of their overlaps that is undone (−)
  double taken_from_turning = 0.0;  ///< m/s: by which they do less work
  VecX velocity;                    ///< u, for the work of a push
  std::vector<Piston> pistons;
  OverlapRelaxer relaxer;
  OverlapRelaxation relaxed;
  HairlineGaps hairlines;
  ContactSolution solution;
  std::unique_ptr<Solver> solver;
  std::unique_ptr<Solver> linear_solver;  ///< of joints alone, to a part of the tolerance
  SolveReport solve_report;
  Certifier certifier;
  Certificate certificate;
  std::vector<double> group_residuals;
  Diagnosis diagnosis;  ///< when asked for; its time counts as the solve's
};

/// The problem that was asked, and the best answer to it: what remains where trying further is in vain.
class Attempt {
 public:
  explicit Attempt(const IslandSolve& s)
      : b_(s.problem.b), guess_(s.guess), shifts_(s.shifts), best_(s.solution), report_(s.solve_report) {}

  const VecX& b() const { return b_; }
  const std::vector<double>& shifts() const { return shifts_; }

  /// But for the count of iterations.
  void put_back(IslandSolve& s) const;

 private:
  VecX b_, guess_;
  std::vector<double> shifts_;
  ContactSolution best_;
  SolveReport report_;
};

/// What is done with an island that the solver gave up, in this order.
struct Effort {
  bool other_digits = true;
  bool hairlines = true;
};

/// Solves s.problem from s.guess and certifies the answer.
void solve_island(const StepSettings& settings, IslandSolve& s);

/// The same from the last answer, which was to a problem not much different; iterations and methods add up.
void solve_from_here(const StepSettings& settings, IslandSolve& s);

/// Without a guess `auto` ends with sweeps where it can, just below the tolerance. What they leave is the gaps and
/// overlaps of the next step, and a gain of energy: from their answer Newton takes it away in a step or two.
void polish_cold_answer(const StepSettings& settings, IslandSolve& s);

/// Overlaps that can't all be undone contradict each other, and nothing solves their rows. The problem with the least
/// relaxation takes the place of the one that was asked for; where friction alone holds them, the one without pushes.
/// s.relaxed tells so.
void relax_if_needed(const StepSettings& settings, std::span<const Contact> contacts, const Island& island,
                     IslandSolve& s);

/// Whether the island's problem is not solved, but only because it is hard, and small enough for more attempts. Of
/// another solver than `auto` it is of interest where it gives up.
bool may_be_tried_harder(const StepSettings& settings, const IslandSolve& s);

/// What `auto` gave up, once with the negligible gaps too (normal_rows.h), and from there once more without: a lattice
/// at rest is one problem at any length of step, so that parts of the step are no easier, but from another start it may
/// be solved. In vain, s stays as it was but for the count of iterations.
void try_in_other_digits(const StepSettings& settings, std::span<const Contact> contacts, const Island& island,
                         IslandSolve& s);

/// What `auto` gave up, with hairline gaps closed, which s.hairlines tells. In vain, s stays as it was but for the
/// count of iterations.
void try_with_hairlines_closed(const StepSettings& settings, const Model& model, std::span<const Contact> contacts,
                               const Island& island, IslandSolve& s);

}  // namespace cardhouse
