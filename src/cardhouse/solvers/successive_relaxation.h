// Successive convex relaxation (LCP1): the fixed point of Anitescu & Hart 2003, Theorem 4.1. Each iteration solves one
// convex program in which contacts open at s = mu ‖u_T‖ of the velocities before (Gamma = mu Lambda(v) there); where s
// repeats itself the answer is Coulomb's. The loads that bound rolling and torsional friction follow in the same way.
// The map is a contraction when friction is small enough. Beyond that it may diverge, and the report says so. A
// diverging sequence does not run off: a larger s makes the program hold free motion back less, so the answer repels
// the sequence until it cycles.
#pragma once

#include "cardhouse/optimization/anderson.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/relaxed_problem.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct SuccessiveRelaxationOptions {
  /// Earlier iterates combined by Anderson acceleration; 0: the plain fixed point of the theorem.
  int anderson_depth = 8;
  /// The sequence aims at this part of the tolerance (−), as staggered projections do.
  double aim_part = 0.01;
  /// The programs are solved to this part of the present residual, so that early iterations stay cheap (−).
  double inner_part = 0.01;
  int patience = 60;  ///< iterations without halving the residual, after which the best answer is returned
  /// The residual's growth beyond the best one (−) that counts as divergence when it comes with the end of patience.
  double divergence = 10.0;
  /// Steps of at least this part of s (−) count as divergence, too, when they have not become smaller within the
  /// patience: far above the noise that s has at the end of a sequence which converged as far as it can.
  double still_moving = 1e-3;
};

class SuccessiveRelaxation final : public Solver {
 public:
  explicit SuccessiveRelaxation(const SolverOptions& options, const SuccessiveRelaxationOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void start(const ContactProblem& problem, const VecX& guess);
  /// From the program's answer r_ to the openings of the next.
  void advance();
  /// Why it is given up after the patience: what its steps and its error did.
  std::string reason_of_end(double error) const;

  SolverOptions options_;
  SuccessiveRelaxationOptions own_;
  ConvergenceMonitor monitor_;
  RelaxedProblem relaxed_;
  Anderson anderson_;
  VecX held_, held_next_, weight_, r_;  ///< the opening speeds, and the loads of dependent laws
  double step_ = 0.0;                   ///< √J: the weighted size of held_next_ − held_ in the last iteration
  double step_at_milestone_ = 0.0;      ///< and when the residual halved last
};

}  // namespace cardhouse
