// Sequential quadratic programming on the nonconvex minimisation of Kaufman 2009, Eq. 5.32: with the unknowns y of
// contact/polygonal_lcp.h,
//
//     min yᵀ(M y + q)   over   y ≥ 0,  M y + q ≥ 0,
//
// whose global minima, with value 0, solve the contact problem. The method ends at points of the first order
// (Eq. 5.33), most of which do not: it is here to be compared with.
#pragma once

#include "cardhouse/contact/polygonal_lcp.h"
#include "cardhouse/optimization/slsqp.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct SqpOptions {
  /// Of the polygon that stands for a disk or an ellipse in space; even.
  int disk_sides = 8;
  /// An iteration takes time with the cube of it: at 400 about a second, at 1000 a quarter of a minute.
  int max_unknowns = 1000;
};

/// The program of an LCP (Eq. 5.31, which is 5.32 multiplied out). The LCP must outlive it.
NonlinearProgram complementarity_program(const Lcp& lcp);

/// max_iterations of the options counts evaluations of the objective, as do the report's iterations.
class Sqp final : public Solver {
 public:
  explicit Sqp(const SolverOptions& options, const SqpOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void descend(const ContactProblem& problem, const std::vector<double>& rho, ContactSolution& solution,
               SolveReport& report);

  SolverOptions options_;
  SqpOptions own_;
  ConvergenceMonitor monitor_;
};

}  // namespace cardhouse
