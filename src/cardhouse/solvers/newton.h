// Semismooth Newton on the law's equations (solvers/machinery/law_equations.h), with Alart & Curnier's function or
// Fischer & Burmeister's. Each step solves one sparse system on the body graph, or over the rows of a given W.
// Globalised by a line search on ‖E‖ and by proximal terms: W is singular in most structures, and the law is not
// monotone.
#pragma once

#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/machinery/law_equations.h"
#include "cardhouse/solvers/row_newton.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct NewtonOptions {
  LawEquation equation = alart_curnier;
  double proximal = 1e-2;  ///< κ at the start (−); it falls tenfold when Newton was quick and rises when it was lost
  double least_proximal = 1e-9;
  /// The sequence aims at this part of the tolerance (−). The rest of the error becomes gaps and overlaps of the next
  /// step, and pushing these out costs more than a last Newton step here. At 1e-5 of 1e-8, structures at rest gain no
  /// more than 1e-12 of their energy, also where the top is 10,000 times heavier than the rest.
  double aim_part = 1e-5;
  /// Newton steps without halving a residual that is within the tolerance; after that many it counts as round-off. With
  /// fewer the method would stop while the proximal term still limits it, and piles would tremble.
  int patience_within = 12;
  int most_inner = 15;    ///< Newton steps around one centre
  double centring = 0.1;  ///< a centre is left when ‖E‖ has fallen to this part (−)
  int patience = 60;      ///< Newton steps without halving the residual, after which the best answer is returned
  /// After this many of these steps velocities get another weight against impulses. Where hardly anything moves, as in
  /// a pile at rest, ten or a hundred times more weight shows better which contacts slip.
  int weighing = 20;
};

class Newton final : public Solver {
 public:
  explicit Newton(const SolverOptions& options, const NewtonOptions& own = {});
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void start(const ContactProblem& problem, const VecX& guess);
  /// Restarts from the best answer so far with another weight of velocities against impulses.
  void weigh_otherwise(const VecX& best);
  double equation(int g, const double* r, const double* u, double load, NewtonRows* newton) const;

  SolverOptions options_;
  NewtonOptions own_;
  ConvergenceMonitor monitor_;
  RowNewton newton_;
  const ContactProblem* problem_ = nullptr;
  std::vector<double> rho_;
  double weight_ = 1.0;  ///< of velocities: E is made with weight_ rho_
  double proximal_ = 0.0;
  VecX r_, center_;
};

}  // namespace cardhouse
