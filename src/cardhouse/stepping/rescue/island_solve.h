// The solve of one island's contact problem, and the attempts that rescue it when it fails (rescue.h): overlaps that
// contradict each other are relaxed, problems that are only hard are solved from elsewhere (docs/contact-model.md).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "cardhouse/contact/diagnosis.h"
#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/stepping/rescue/hairline_gaps.h"
#include "cardhouse/stepping/rescue/overlap_relaxation.h"
#include "cardhouse/stepping/rescue/rescue.h"
#include "cardhouse/stepping/rows/restituted_impulse.h"
#include "cardhouse/stepping/schemes/settings.h"

namespace cardhouse {

/// What the solve of one island needs and leaves; slots are reused from step to step, so that a settled step
/// allocates nothing.
struct IslandSolve {
  std::vector<int> bodies;   ///< of the island that was solved last
  std::size_t contacts = 0;  ///< of it
  bool is_solved = false;    ///< in an earlier pass of the step, and nothing changed
  ContactProblem problem;
  VecX guess;                  ///< what the solve began with
  VecX anchors;                ///< of soft contacts
  VecX last;                   ///< impulses of the step before, for the lagged law
  std::vector<double> biases;  ///< of the normal rows
  std::vector<Piston> pistons;
  OverlapRelaxer relaxer;
  OverlapRelaxation relaxed;
  HairlineGaps hairlines;
  ContactSolution solution;
  Effort effort = Effort::thorough;                ///< what a solve may spend
  std::array<std::unique_ptr<Solver>, 3> solvers;  ///< by effort
  std::unique_ptr<Solver> linear_solver;           ///< of joints alone, to a part of the tolerance
  SolveReport solve_report;
  Certifier certifier;
  Certificate certificate;
  std::vector<double> group_residuals;
  Diagnosis diagnosis;                 ///< when asked for; its time counts as the solve's
  RescueCounts rescues;                ///< of the last pass
  const Deadline* deadline = nullptr;  ///< of the step
};

/// The problem as asked and the best answer to it: restored when further attempts fail.
class Attempt {
 public:
  explicit Attempt(const IslandSolve& s)
      : b_(s.problem.b), guess_(s.guess), biases_(s.biases), best_(s.solution), report_(s.solve_report) {}

  const VecX& b() const { return b_; }
  const std::vector<double>& biases() const { return biases_; }

  /// Restores everything but the count of iterations.
  void put_back(IslandSolve& s) const;

 private:
  VecX b_, guess_;
  std::vector<double> biases_;
  ContactSolution best_;
  SolveReport report_;
};

/// Solves s.problem from s.guess and certifies the answer.
void solve_island(const StepSettings& settings, IslandSolve& s);

/// The same with little effort, for a pass after which rows are written anew. Returns whether the answer is near enough
/// to write rows from.
bool solve_island_briefly(const StepSettings& settings, IslandSolve& s);

/// The same from the last answer, which was to a problem not much different; iterations and methods add up.
void solve_from_here(const StepSettings& settings, IslandSolve& s);

/// Without a guess, sweeps often end just below the tolerance. Their error becomes gaps and overlaps of the next step,
/// and a gain of energy. Where the solver says so, a second solve from its answer removes it.
void polish_coarse_answer(const StepSettings& settings, IslandSolve& s);

/// Whether rows may contradict each other, so that no impulses solve them.
bool contradicts(const StepSettings& settings, const IslandSolve& s);
/// Whether the island's problem is unsolved only because it is hard, and small enough for further attempts.
bool is_hard(const StepSettings& settings, const IslandSolve& s);

// Attempts of the table in rescue.h.

/// Overlaps that cannot all be removed contradict each other. The problem with the least relaxation replaces the
/// original one. Where that is not enough, or only friction makes the rows infeasible, all pushes are dropped.
/// s.relaxed holds the result.
std::optional<bool> relax_overlaps(const RescueInput& in, IslandSolve& s);
/// With unrounded gaps (normal_rows.h), and from there once more with rounded ones. A lattice at rest is the same
/// problem at any length of step, so parts of the step are no easier, but from another start it may be solved.
std::optional<bool> solve_with_unrounded_gaps(const RescueInput& in, IslandSolve& s);
/// With hairline gaps closed; s.hairlines counts them.
std::optional<bool> solve_with_hairlines_closed(const RescueInput& in, IslandSolve& s);

}  // namespace cardhouse
