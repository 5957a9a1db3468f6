// A part of `auto`: Newton from places along a damped fixed point (successive_relaxation.h). The fixed point
//
//     r_k = the relaxed answer whose contacts open at s_k,   s_k+1 = s_k + ω (mu ‖u_T(r_k)‖ − s_k)
//
// of a heap in which much is about to slip may creep or go round for hundreds of iterations. But each r_k is a state of
// balance with other contacts sliding, and from one or another of them Newton ends in a few steps, which cost as much
// as one or two of the programs. What fixed points that converge would need, Anderson's acceleration, is of no use
// here: it leads along one way, and fast.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/relaxed_problem.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct RelaxedStartsOptions {
  double damping = 0.5;      ///< ω (−); 1: the plain fixed point
  int between = 5;           ///< programs from one start of Newton to the next
  int most_programs = 150;   ///< after which it is given up
  double inner_part = 0.01;  ///< of the present residual, to which the programs are solved (−)
  int most_infeasible = 5;   ///< times that openings were too much to ask for, and were halved
};

/// From no impulses, whatever the guess; that is only the answer to improve on.
class RelaxedStarts final : public Solver {
 public:
  /// The methods that are started take turns: a careful one and a bold one end different problems.
  RelaxedStarts(const SolverOptions& options, std::vector<std::shared_ptr<Solver>> started,
                const RelaxedStartsOptions& own = {})
      : options_(options), own_(own), monitor_(options), started_(std::move(started)) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void start(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);

  SolverOptions options_;
  RelaxedStartsOptions own_;
  ConvergenceMonitor monitor_;
  std::vector<std::shared_ptr<Solver>> started_;
  RelaxedProblem relaxed_;
  ContactSolution candidate_;
  VecX held_, held_next_, r_;
};

}  // namespace cardhouse
