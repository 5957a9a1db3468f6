// The equations that all integrators of this room end with, and their solution by coupled minimisations.
//
// In the unknown w, a velocity, with the potential's force taken at q₀ + k w:
//
//     M w = p − s ∇V(q₀ + k w) + Jᵀ r        and (u, r) obey Signorini's and Coulomb's laws at every contact.
//
// Given the friction in r these are the optimality conditions of a minimisation over w (Kaufman 2009, Eq. 4.51, 4.61),
//
//     ½ wᵀ M w − wᵀ (p + f) + s/k V(q₀ + k w)      subject to      u_N(w) ≥ 0,
//
// and given the contact impulses those of one over the friction impulses (Eq. 4.53). An outer Newton iteration
// linearises the potential's force, A = M + s k ∇²V. What is left is a contact problem, whose solver (staggered
// projections by default) finds both minimisers at once. Where A is not positive definite, the negative curvature of V
// is dropped; the iteration then converges more slowly, to the same answer. A line search on the objective, with
// violated rows weighted by twice their largest impulse, keeps Newton's steps from overshooting.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cardhouse/contact/residual.h"
#include "cardhouse/math/decompositions.h"
#include "cardhouse/solvers/solver.h"
#include "cardhouse/variational/mechanical_system.h"

namespace cardhouse {

struct MinimisationSettings {
  std::string solver = "staggered-projections";
  double contact_tolerance = 1e-10;   ///< of the contact problems and of the certificate (−)
  double momentum_tolerance = 1e-12;  ///< relative error of the nonlinear momentum balance that is left (−)
  int max_iterations = 60;            ///< of Newton; quadratic from near, and a step's start is near
};

/// One obstacle that takes part in a step.
struct StepContact {
  int obstacle = 0;
  double bias = 0.0;  ///< m/s, of velocity rows: u_N = n · w + bias
};

struct StepEquations {
  VecX momentum;            ///< p
  VecX base;                ///< q₀
  double reach = 0.0;       ///< k, s: w moves the place where forces act by k w
  double force_time = 0.0;  ///< s, s: the time during which they act
  std::vector<StepContact> contacts;
  /// True: u_N = g(q₀ + k w)/k, for schemes that hold positions. False: normals are those at `contact_place`.
  bool position_rows = false;
  VecX contact_place;
};

/// How well a step was solved. The certificate is that of the contact problem in which the potential's force is the one
/// at the solution.
struct StepQuality {
  bool converged = true;  ///< both of the following within their tolerances
  int iterations = 0;
  double momentum_error = 0.0;  ///< relative (−)
  Certificate certificate;
};

class CoupledMinimisation {
 public:
  /// The system must outlive it. Throws InputError for an unknown solver.
  CoupledMinimisation(const MechanicalSystem& system, const MinimisationSettings& settings);

  /// From the guess in w to the solution.
  StepQuality solve(const StepEquations& equations, VecX& w);

  /// Jᵀ r of the last solve (N s).
  const VecX& impulse() const { return impulse_; }
  /// ∇V at a place, and M⁻¹ x.
  const VecX& potential_gradient(const VecX& q);
  void divide_by_mass(const VecX& x, VecX& y) const { y.noalias() = inverse_mass_.lazyProduct(x); }

 private:
  void linearise(const StepEquations& equations, const VecX& w);
  void assemble_rows(const StepEquations& equations, const VecX& w);
  void assemble_contact(const Obstacle& obstacle, const StepContact& contact, const StepEquations& equations,
                        const VecX& w, int& row);
  void solve_linearised();
  double line_search(const StepEquations& equations, const VecX& w);
  /// `size` gets the sum of its parts' sizes: what rounding is measured by.
  double merit(const StepEquations& equations, const VecX& w, double& size) const;
  double violation(const StepEquations& equations, const VecX& w) const;
  double momentum_error(const StepEquations& equations, const VecX& w);
  double row_error(const StepEquations& equations, const VecX& w) const;
  void certify_at(const StepEquations& equations, const VecX& w, StepQuality& quality);

  const MechanicalSystem& system_;
  MinimisationSettings settings_;
  MatX inverse_mass_;
  std::unique_ptr<Solver> solver_;
  Certifier certifier_;
  ContactProblem problem_;
  ContactSolution solution_;
  Cholesky factor_;
  MatX matrix_, inverse_, rows_;
  VecX place_, gradient_, right_side_, direction_, trial_, impulse_, friction_impulse_, residual_, scaled_;
  double penalty_ = 0.0;  ///< N s
};

}  // namespace cardhouse
