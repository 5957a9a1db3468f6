// Lemke's pivoting on the linear complementarity problem of contact/polygonal_lcp.h: Stewart & Trinkle's, in Anitescu &
// Potra's form, which always has a solution that pivoting finds when gaps and motions contradict nothing. Round
// friction becomes polygons; the certificate, of the laws as they are, shows what that costs.
#pragma once

#include "cardhouse/contact/polygonal_lcp.h"
#include "cardhouse/optimization/lemke.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct LemkeSolverOptions {
  /// Of the polygon that stands for a disk or an ellipse in space; even. Inscribed: friction up to 1 − cos(π/sides) = 2
  /// % too small and π/sides = 11° off.
  int disk_sides = 16;
  /// Pivots grow a little faster than the unknowns, and each costs a multiple of them: beyond, a path takes hours.
  int max_unknowns = 30000;
  /// Unknowns of equality rows, which are eliminated by a dense factorisation: at this number half a minute.
  int max_equations = 2000;
};

/// max_iterations of the options counts pivots, as do the report's inner iterations; an outer one is a whole solve.
class Lemke final : public Solver {
 public:
  explicit Lemke(const SolverOptions& options, const LemkeSolverOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void pivot(const ContactProblem& problem, const std::vector<double>& rho, ContactSolution& solution,
             SolveReport& report);
  void explain(const ContactProblem& problem, const PolygonalLcp& lcp, const FreeElimination& elimination,
               const LemkeResult& result, SolveReport& report) const;

  SolverOptions options_;
  LemkeSolverOptions own_;
  ConvergenceMonitor monitor_;
};

}  // namespace cardhouse
