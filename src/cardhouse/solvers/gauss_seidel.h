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
  /// Each group goes this part of the way to its own solution (−). Less than 1 is slower and steadier.
  double relaxation = 1.0;
  /// Where sweeps go in circles the relaxation falls by this factor (−), again and again while they do, down to the
  /// least one.
  double calming = 0.7;
  double least_relaxation = 0.3;
};

class GaussSeidel final : public Solver {
 public:
  explicit GaussSeidel(const SolverOptions& options, const GaussSeidelOptions& own = {})
      : options_(options), own_(own), judge_(options) {}

  /// Iterations in the report are sweeps; the residual history has only those that were judged.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void iterate(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  /// Returns the largest ‖change of r_g‖/√rho_g.
  double sweep(double relaxation);

  SolverOptions options_;
  GaussSeidelOptions own_;
  Judge judge_;
  RowSweep rows_;
};

}  // namespace cardhouse
