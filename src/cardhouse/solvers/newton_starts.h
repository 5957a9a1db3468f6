// A part of `auto`: Newton from places along a walk. Newton ends in a few steps where it is started near the right set
// of sliding contacts, and where that is nobody knows. A walk leads past one such set after another:
//
// - sweeps from the relaxed answer carry the load to the ground, contact by contact, and then wander among impulses
//   that nearly solve the problem;
// - the damped fixed point of successive_relaxation.h,
//
//       r_k = the relaxed answer whose contacts open at s_k,   s_k+1 = s_k + ω (mu ‖u_T(r_k)‖ − s_k)
//
//   creeps or goes round in a heap in which much is about to slip, but each r_k is a state of balance.
//
// Acceleration, which a walk would need to arrive by itself, is of no use here: it leads along one way, and fast.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/relaxed_problem.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

/// Impulses, one after the other.
class Walk {
 public:
  Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  virtual ~Walk() = default;
  /// Of what the walk is made, for the report.
  virtual const char* method() const = 0;
  /// False, with the reason in the report, when it can't walk here.
  virtual bool begin(const ContactProblem& problem, SolveReport& report) = 0;
  /// One leg on from r, whose error is known; false where the walk ends.
  virtual bool go(const ContactProblem& problem, double error, ConvergenceMonitor& monitor, VecX& r) = 0;
};

/// A leg is one convex program. The first is the convex relaxation.
class RelaxedWalk final : public Walk {
 public:
  /// `damping`: ω (−); 1 is the plain fixed point.
  RelaxedWalk(const SolverOptions& options, double damping) : tolerance_(options.tolerance), damping_(damping) {}
  const char* method() const override { return "successive-relaxation"; }
  bool begin(const ContactProblem& problem, SolveReport& report) override;
  bool go(const ContactProblem& problem, double error, ConvergenceMonitor& monitor, VecX& r) override;

 private:
  double tolerance_, damping_;
  RelaxedProblem relaxed_;
  VecX held_, held_next_;
  int legs_ = 0, infeasible_ = 0;
};

/// A leg is one solve by a method that is allowed a few iterations. The first begins at the convex relaxation's answer.
class SweepWalk final : public Walk {
 public:
  SweepWalk(const char* name, std::unique_ptr<Solver> sweeps, const SolverOptions& options)
      : name_(name), sweeps_(std::move(sweeps)), relaxation_(options, 1.0) {}
  const char* method() const override { return name_; }
  bool begin(const ContactProblem& problem, SolveReport& report) override;
  bool go(const ContactProblem& problem, double error, ConvergenceMonitor& monitor, VecX& r) override;

 private:
  const char* name_;
  std::unique_ptr<Solver> sweeps_;
  RelaxedWalk relaxation_;
  bool relaxed_ = false;
  ContactSolution place_;
};

struct NewtonStartsOptions {
  int legs = 100;        ///< after which it is given up
  int first_starts = 1;  ///< starts that are made leg by leg
  int every = 1;         ///< legs from one start to the next after those
};

class NewtonStarts final : public Solver {
 public:
  /// The methods that are started take turns: a careful one and a bold one end different problems.
  NewtonStarts(const SolverOptions& options, std::unique_ptr<Walk> walk, std::vector<std::unique_ptr<Solver>> started,
               const NewtonStartsOptions& own)
      : options_(options), own_(own), monitor_(options), walk_(std::move(walk)), started_(std::move(started)) {}
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void start(Solver& method, const ContactProblem& problem, ContactSolution& solution, SolveReport& report);

  SolverOptions options_;
  NewtonStartsOptions own_;
  ConvergenceMonitor monitor_;
  std::unique_ptr<Walk> walk_;
  std::vector<std::unique_ptr<Solver>> started_;
  ContactSolution candidate_;
  VecX r_;
};

}  // namespace cardhouse
