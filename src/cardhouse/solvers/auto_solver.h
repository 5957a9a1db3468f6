// The default: the fastest combination that ends with a certificate (docs/solvers.md has the measurements behind it).
//
// 1. gauss-seidel, a hundred sweeps, where there is no guess (more where the end is in sight): easy problems end there
//    sooner than one Newton step. What it leaves is no good start for Newton, and is dropped;
// 2. newton, which ends most problems in few steps, warm ones in one or two;
// 3. in a plane: convex-relaxation, which is exact where nothing slides; projected-gauss-seidel, a hundred sweeps at a
//    time from no impulses and then a thousand at a time from the relaxed ones, with newton after each time;
// 4. interior-point from the best impulses so far, for what has many contacts about to slip or to open;
// 5. other starts, for what cannot be done from where the others ended: convex-relaxation, which is exact where nothing
//    slides, newton from its answer, interior-point from no impulses;
// 6. for heaps of rocks: newton from places along the damped and the plain fixed point of successive-relaxation
//    (relaxed_starts.h); successive-relaxation, accelerated, from no impulses, and newton from its answer;
// 7. in space, gauss-seidel, a thousand sweeps at a time from no impulses, with newton after each time; last steps from
//    the best answer: newton in three ways and interior-point;
// 8. from the best answer: successive-relaxation; staggered-projections, for polygons that resist; admm from the
//    relaxed answer; the last steps once more; successive-relaxation with a shorter memory.
//
// In large problems 4 to 8 would take minutes: there further sweeps take their place. Problems of some size with a
// coarse tolerance, or with a guess that is nearly good enough, begin with sweeps too.
//
// The best answer is kept, and the report names each method that was used.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/gauss_seidel.h"

namespace cardhouse {

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const SolverOptions& all);
  AutoSolver(const AutoSolver&) = delete;  // its stages point into it
  AutoSolver& operator=(const AutoSolver&) = delete;
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// A method and the sizes of problems that it is for.
  struct Stage {
    std::shared_ptr<Solver> method;
    const VecX* from = nullptr;  ///< the impulses it starts from; none: the best so far
    VecX* kept = nullptr;        ///< where its answer is kept, however good, for later stages to start from
    bool planar = false;         ///< only where all contacts are
    /// Where there are planar stages: beyond so many rows what they leave this one does not end either, but takes
    /// seconds.
    int most_planar_rows = std::numeric_limits<int>::max();
    int least_rows = 0;
    int most_rows = std::numeric_limits<int>::max();
  };

  struct Methods;
  void add_planar_stages(const SolverOptions& options, const Methods& methods);
  void add_relaxation(const std::shared_ptr<Solver>& method, const VecX* from, const Methods& methods);
  void add_relaxed_starts(const SolverOptions& options, const Methods& methods);
  void add_spatial_starts(const SolverOptions& options, const Methods& methods);
  void add_last_steps(const Methods& methods);
  static bool is_for(const Stage& stage, int rows, bool planar);
  /// With a guess: where the problem has many single contacts, and the tolerance is coarse or the guess close.
  bool worth_sweeping(const ContactProblem& problem) const;
  /// True when sweeps were enough.
  bool sweep(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// Runs one method; true when there is nothing left to do.
  bool run(const Stage& stage, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);

  double tolerance_;
  ConvergenceMonitor monitor_;
  GaussSeidel sweeps_, long_sweeps_;
  std::vector<Stage> stages_;
  ContactSolution candidate_;
  VecX relaxed_, swept_, nothing_;
};

}  // namespace cardhouse
