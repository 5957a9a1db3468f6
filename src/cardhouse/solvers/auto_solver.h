// The default: the fastest combination that ends with a certificate (docs/solvers.md has the measurements behind it).
//
// 1. gauss-seidel, a hundred sweeps, where there is no guess: easy problems end there sooner than one Newton step. What
//    it leaves is no good start for Newton, and is dropped;
// 2. newton, which ends most problems in few steps, warm ones in one or two;
// 3. interior-point from the best impulses so far, for what has many contacts about to slip or to open;
// 4. staggered-projections, for what is left: polygons that resist, rows that contradict each other, which it names;
// 5. other starts, for what none of them can do from where the others ended: convex-relaxation, which is exact where
//    nothing slides, newton and admm from its answer, interior-point from no impulses.
//
// The best answer is kept, and the report names each method that was used.
#pragma once

#include <memory>

#include "cardhouse/solvers/gauss_seidel.h"
#include "cardhouse/solvers/judge.h"

namespace cardhouse {

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const SolverOptions& options);
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// True when sweeps were enough.
  bool sweep(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// Runs one method from the best answer so far; true when there is nothing left to do.
  bool run(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// Runs one method from `candidate_`, which holds its answer afterwards, and keeps that if it is the best so far.
  SolveReport attempt(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// What is left to do when all methods have given up.
  void start_elsewhere(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);

  Judge judge_;
  GaussSeidel sweeps_;
  std::unique_ptr<Solver> newton_, interior_point_, staggered_projections_, relaxation_, admm_;
  ContactSolution candidate_;
};

}  // namespace cardhouse
