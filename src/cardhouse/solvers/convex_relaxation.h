// Convex relaxation (LCP2): one strictly convex program instead of Coulomb's law (Anitescu & Hart 2003, Eq. 15;
// Anitescu 2006, Eq. 5.3 for the polygon, 5.5 for the round cone). Normal and friction impulses are chosen together, so
// that a sliding contact opens at mu ‖u_T‖: after a step of length h a body that slides at speed v hovers at h mu v.
// The report says so, and the common residual shows the gap.
//
// Rolling and torsional friction is bounded by normal impulses that the program itself finds. The program is therefore
// solved again with the loads of its last answer, until they no longer change.
#pragma once

#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/relaxed_problem.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

class ConvexRelaxation final : public Solver {
 public:
  explicit ConvexRelaxation(const SolverOptions& options) : options_(options), monitor_(options) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// The program, once, or until the loads of dependent laws stay the same.
  SetQpReport solve_program(const ContactProblem& problem, double tolerance);

  SolverOptions options_;
  ConvergenceMonitor monitor_;
  RelaxedProblem relaxed_;
  VecX held_, last_loads_, r_;
};

}  // namespace cardhouse
