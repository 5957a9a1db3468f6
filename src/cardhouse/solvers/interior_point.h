// An interior-point method for the exact law: Newton's method along the central path of
// solvers/machinery/smoothed_law.h, from a coarse ε down to none. It need not stay inside the cones, so that it starts
// from any guess; a good one starts with a small ε. Each Newton step factorises one matrix, on the body graph or over
// the rows of a given W.
//
// The same path of the cone program (Anitescu 2006, Eq. 5.5) in the place of the law gives the convex relaxation: its
// answer misses Coulomb's law where contacts slide, and the report says so.
#pragma once

#include "cardhouse/contact/residual.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/machinery/smoothed_law.h"
#include "cardhouse/solvers/row_newton.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct InteriorPointOptions {
  /// ε at the start, of the problem's scale (−); the guess's residual when that is smaller.
  double first_smoothing = 0.3;
  /// The sequence aims at this part of the tolerance (−), as staggered projections do.
  double aim_part = 0.01;
  /// The cone program instead of Coulomb's law.
  bool relaxed = false;
};

class InteriorPoint final : public Solver {
 public:
  explicit InteriorPoint(const SolverOptions& options, const InteriorPointOptions& own = {});

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// One attempt. The first is quick: steep, and with a proximal term that keeps the linear systems well conditioned.
  /// The others are patient: the law is not monotone, so a path may turn back before its end. A large proximal term
  /// holds back impulses that must move far, as in structures about to give way.
  struct Path {
    double epsilon = 0.0;   ///< at the start, of the scale (−)
    double proximal = 0.0;  ///< κ at the start (−)
    double sliding = 0.01;  ///< δ/ε (−): a larger one blurs the slip that decides; at 0 Newton stumbles at the kink
    double reduction = 0.0;  ///< of ε from one central point to the next, at best (−)
    double centring = 0.0;   ///< a point counts as central when its mean error is below this part of ε (−)
    int patience = 0;        ///< Newton steps without halving the residual, after which it is given up
    bool cold = false;       ///< from zero impulses instead of the best ones so far
  };

  void start(const ContactProblem& problem, const VecX& guess);
  void start_relaxed(const ContactProblem& problem, const VecX& guess);
  /// The error of the best answer so far: the monitor's, or that of the cone program.
  double best() const { return own_.relaxed ? relaxed_best_ : monitor_.best(); }
  /// Judges the impulses r_ of an iteration, and keeps them when they are the best. Returns their error.
  double offer(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  void follow(const ContactProblem& problem, const Path& path, ContactSolution& solution, SolveReport& report);
  double equation(int g, const double* r, const double* u, double load, NewtonRows* newton) const;
  /// max over groups of ‖r_ − center_‖/√rho.
  double distance_from_center(const ContactProblem& problem) const;

  SolverOptions options_;
  InteriorPointOptions own_;
  ConvergenceMonitor monitor_;
  RowNewton newton_;
  const ContactProblem* problem_ = nullptr;
  Smoothing smoothing_;
  std::vector<double> rho_;
  double aim_ = 0.0, scale_ = 0.0, relaxed_best_ = 0.0;
  VecX r_, center_, central_, projected_;
};

}  // namespace cardhouse
