// Block nonsmooth Gauss–Seidel: sweeps over the groups of rows; each gets the exact solution of its own law
// (contact/one_contact.h) while the others are held (Jean & Moreau 1992; Jourdan, Alart & Jean 1998).
#pragma once

#include "cardhouse/contact/row_sweep.h"
#include "cardhouse/solvers/judge.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct GaussSeidelOptions {
  /// The sweeps aim at this part of the tolerance (−): small enough that the next step's guess is not at its edge.
  double aim_part = 0.5;
};

class GaussSeidel final : public Solver {
 public:
  explicit GaussSeidel(const SolverOptions& options, const GaussSeidelOptions& own = {})
      : options_(options), own_(own), judge_(options) {}

  /// Iterations in the report are sweeps; the residual history has only those that were judged.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// Returns the largest ‖change of r_g‖/√rho_g.
  double sweep(bool forward);

  SolverOptions options_;
  GaussSeidelOptions own_;
  Judge judge_;
  RowSweep rows_;
};

}  // namespace cardhouse
