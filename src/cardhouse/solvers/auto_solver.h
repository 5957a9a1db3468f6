// The default: the fastest combination that ends with a certificate (docs/solvers.md has the measurements behind it).
//
// 1. interior-point, which ends nearly every problem, warm or cold;
// 2. staggered-projections from the best impulses so far, for what is left: it also names rows that contradict each
// other.
//
// The better of the two answers is kept, and the report names each method that was used.
#pragma once

#include "cardhouse/solvers/interior_point.h"
#include "cardhouse/solvers/staggered_projections.h"

namespace cardhouse {

class AutoSolver final : public Solver {
 public:
  explicit AutoSolver(const SolverOptions& options);
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  InteriorPoint interior_point_;
  StaggeredProjections staggered_projections_;
  Judge judge_;
  ContactSolution other_;
};

}  // namespace cardhouse
