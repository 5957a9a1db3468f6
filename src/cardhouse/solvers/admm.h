// The alternating direction method of multipliers for the exact law. With the de Saxcé correction s = mu ‖u_T‖ the law
// is an optimality condition over the friction cone K (contact/law_projection.h). The impulses r are split from a copy
// y ∈ K; w is the scaled multiplier of r = y:
//
//     (W + ρ) r = ρ (y − w) − q − s n          one linear system, on the body graph or over a given W
//     y ← P_K(r + w)
//     w ← w + r − y                            in the end −ρ w = u + s n, the velocity in the dual cone
//
// ρ is a number per group, penalty/rho_i: rho_i = d/trace(W_ii) makes contacts of light and heavy bodies alike. One
// factorisation serves until the penalty is changed to balance the errors of the two halves. s follows the velocities
// at every iteration while that converges, and so do the bounds mu r_N of rolling and torsional friction; where it does
// not (jammed piles) s is held for longer and longer.
#pragma once

#include "cardhouse/optimization/convex_set.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/machinery/row_system.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct AdmmOptions {
  double penalty = 0.1;     ///< at the start (−): ρ rho_i
  double relaxation = 1.6;  ///< over-relaxation of r (−); the usual choice between 1.5 and 1.8
  double aim_part = 0.1;    ///< the sequence aims at this part of the tolerance (−)
  int check_every = 5;      ///< iterations between two looks at the residual: a look costs as much as an iteration
  int balance_every = 20;   ///< iterations between two looks at the penalty: a change costs a factorisation
  double imbalance = 4.0;   ///< ratio of the two errors beyond which the penalty changes (−)
  int hold_after = 200;     ///< iterations without halving the residual, after which s is held twice as long
  int patience = 2000;      ///< the same, after which the best answer is returned
};

class Admm final : public Solver {
 public:
  explicit Admm(const SolverOptions& options, const AdmmOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  bool start(const ContactProblem& problem, const VecX& guess);
  bool set_penalty(const ContactProblem& problem, double penalty);
  void iterate(const ContactProblem& problem, bool follow_sliding);
  /// False when a factorisation failed.
  bool balance(const ContactProblem& problem);

  SolverOptions options_;
  AdmmOptions own_;
  ConvergenceMonitor monitor_;
  RowSystem system_;
  std::vector<ConvexSet> sets_;
  std::vector<Mat3> theta_;
  double penalty_ = 0.0;
  double primal_ = 0.0, dual_ = 0.0;  ///< √J: the last iteration's errors
  VecX stiffness_;                    ///< 1/rho of each row
  VecX q_, s_, r_, y_, w_, u_, right_;
};

}  // namespace cardhouse
