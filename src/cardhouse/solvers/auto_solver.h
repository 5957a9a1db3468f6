// The default: the fastest combination that ends with a certificate (docs/solvers.md has the measurements behind it).
//
// 1. newton, which ends most problems in few steps, warm ones in one or two;
// 2. interior-point from the best impulses so far, for what has many contacts about to slip or to open;
// 3. staggered-projections, for what is left: polygons that resist, rows that contradict each other, which it names.
//
// The best answer is kept, and the report names each method that was used.
#pragma once

#include <memory>
#include <vector>

#include "cardhouse/solvers/judge.h"

namespace cardhouse {

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const SolverOptions& options);
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// Runs one method from the best answer so far; true when there is nothing left to do.
  bool run(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);

  Judge judge_;
  std::vector<std::unique_ptr<Solver>> methods_;
  ContactSolution candidate_;
};

}  // namespace cardhouse
