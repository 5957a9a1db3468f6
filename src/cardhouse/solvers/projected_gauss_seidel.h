// The two iterative methods that games and LCP codes use (Kaufman 2009, section 5.7.2), row by row:
//
// box: each tangent on its own, clamped to ±mu times the normal impulse of the moment. The friction set is a square (in
// space), so that its answers solve another law than Coulomb's unless contacts slide along a tangent or lie in a plane.
//
// pyramid: the full Stewart–Trinkle LCP (Eq. 5.27–5.30), with friction along m directions, r_T = Σ_k β_k d_k, and the
// multiplier λ of mu r_N ≥ Σ β_k:
//
//     0 ≤ r_N ⊥ u_N ≥ 0,   0 ≤ β_k ⊥ d_k · u_T + λ ≥ 0,   0 ≤ λ ⊥ mu r_N − Σ β_k ≥ 0
//
// Its matrix has zeros on the diagonal at λ, which projected Gauss–Seidel can't divide by. They are regularised: each
// sweep works with ε instead of 0 there and with a right side that takes ε λ back (Cottle, Pang & Stone 1992), so that
// where the sweeps come to rest the LCP itself holds, ε or not.
//
// Both keep their last impulses, unprojected, not the best ones. The certificate shows how far their law is from
// Coulomb's.
#pragma once

#include <vector>

#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/machinery/row_sweep.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct ProjectedGaussSeidelOptions {
  enum class Friction { box, pyramid };
  Friction friction = Friction::box;
  /// The sweeps aim at this part of the tolerance (−), as gauss-seidel's.
  double aim_part = 0.5;
  /// Sweeps that change less than this part of the tolerance have solved their own problem (−): what is left of the
  /// error is the difference between the laws.
  double settled_part = 1e-3;
  /// ε, times the mean of the d_k · W_TT d_k (−). Below about 1 the multipliers overshoot.
  double regularisation = 2.0;
};

class ProjectedGaussSeidel final : public Solver {
 public:
  explicit ProjectedGaussSeidel(const SolverOptions& options, const ProjectedGaussSeidelOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}

  /// Iterations in the report are sweeps; the residual history has only those that were judged.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  /// A contact's friction directions, times mu: corners_[first] … corners_[first + count − 1].
  struct Pyramid {
    int first = 0;
    int count = 0;            ///< 0: no friction
    double stiffness = 0.0;   ///< the mean of d_k · W_TT d_k
    double multiplier = 0.0;  ///< λ
  };

  void iterate(const ContactProblem& problem, ContactSolution& solution, SolveReport& report);
  void start_from(const ContactProblem& problem);
  void set_pyramids(const ContactProblem& problem);
  void start_pyramid(const ContactProblem& problem, int g);
  /// Returns the largest change of a group, as gauss-seidel's.
  double sweep(const ContactProblem& problem);
  /// These take r_g and u_g along.
  void relax_normal(const Law& law, int g, double* r, double* u) const;
  void relax_box(const Law& law, int g, int dim, double* r, double* u) const;
  double relax_pyramid(int g, int dim, double* r, double* u);
  void change_row(int g, int row, double value, double* r, double* u) const;

  SolverOptions options_;
  ProjectedGaussSeidelOptions own_;
  ConvergenceMonitor monitor_;
  RowSweep rows_;
  VecX guess_;
  std::vector<Pyramid> pyramids_;  ///< one per group
  std::vector<Vec2> corners_;      ///< mu d_k
  std::vector<double> beta_;       ///< like corners_
};

}  // namespace cardhouse
