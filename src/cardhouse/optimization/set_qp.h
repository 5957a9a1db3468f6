// Quadratic programs over simple sets, the projections behind staggered projections (Kaufman 2009, Eq. 4.69, 4.70):
//
//     minimise ½ rᵀ W r + qᵀ r   over r_1 ∈ K_1, …, r_k ∈ K_k,     W = J A⁻¹ Jᵀ + C,   q = J v_0 + b
//
// W may be singular (redundant contacts): then r is not unique, but v = v_0 + A⁻¹ Jᵀ r is. Method: proximal point
// iterations on r, each solved for v by a semismooth Newton method (Li, Sun & Toh's augmented Lagrangian scheme):
//
//     z(v) = (σ r_k − (J v + b)) / (σ + c)              per group, σ = κ / rho, rho = d / trace(W_ii)
//     F(v) = A (v − v_0) − Jᵀ P_K(z(v)) = 0             the gradient of a strictly convex function of v
//     H    = A + Jᵀ Θ J,   Θ = P_K'(z) / (σ + c)
//
// H is factorised on the body graph when there are fewer dofs than rows (the primal form of section 5.3.6), through the
// dense matrix of the active rows, I + G W Gᵀ with Θ = Gᵀ G, when there are far fewer rows than dofs (the dual form).
//
// Where W itself is given instead of A and J, all this holds with W in the place of both: v stands for impulses whose
// rows are W v + b, v_0 = 0, and the Newton direction is that of (I + Θ W) d = P_K(z(v)) − v, with the W that was given
// even when it is not quite symmetric.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cardhouse/math/decompositions.h"
#include "cardhouse/optimization/body_graph_factor.h"
#include "cardhouse/optimization/convex_set.h"
#include "cardhouse/optimization/row_lu.h"

namespace cardhouse {

struct SetQpOptions {
  /// Root of an energy (√J): a group is solved when ‖r − P(r − rho u)‖/√rho is at or below it.
  double tolerance = 0.0;
  /// When the guess was not good enough, the solve goes on to this part of the tolerance (−). The last Newton steps are
  /// cheap, and callers that iterate with the answer get less noise.
  double precision = 1e-3;
  /// Proximal weight relative to the diagonal of W (−). It starts large, where Newton finds the active sets in few
  /// steps, and falls tenfold whenever Newton was quick, so that the proximal iterations converge superlinearly; not so
  /// far that H loses the digits that the tolerance needs: 1e-6 leaves ten.
  double proximal = 1e-2;
  double least_proximal = 1e-6;
  int max_proximal_iterations = 60;
  int max_newton_iterations = 60;  ///< per proximal iteration
  /// Asked before every Newton step; true ends the solve with the best answer so far. None: never.
  std::function<bool()> stop;
  enum class Form { automatic, primal, dual } form = Form::automatic;
};

enum class SetQpStatus { solved, infeasible, iteration_limit, stopped, failed };

struct SetQpReport {
  SetQpStatus status = SetQpStatus::solved;
  double error = 0.0;  ///< √J: max ‖r − P(r − rho u)‖/√rho
  int newton_iterations = 0;
  int factorisations = 0;
  bool dual = false;
  std::vector<int> conflicting_groups;  ///< when infeasible: no v satisfies these rows together
};

/// Keeps factorisations and buffers between solves with the same matrices.
class SetQp {
 public:
  /// A, J and the diagonal of C (equal within a group) must outlive the solves. Call again when any of them changes.
  void set_matrices(const BodyMatrix& a, const BlockRows& j, const VecX& compliance);
  /// The same with W given; `groups` holds only the groups' rows. Solves then take v0 = 0 of W's size.
  void set_matrix(const SparseRows& w, const BlockRows& groups);

  /// From the guess r to the solution r and v.
  SetQpReport solve(const VecX& v0, const VecX& b, std::span<const ConvexSet> sets, const SetQpOptions& options,
                    VecX& r, VecX& v);

  /// d / trace(W_ii) per group; 0 where no body moves.
  const std::vector<double>& rho() const { return rho_; }

 private:
  void resize();
  /// y = J x, y = A x, x += Jᵀ r (in impulses), ‖g‖² of a gradient: with bodies or with W in the place of A and J.
  void rows_of(const VecX& x, VecX& y) const;
  void metric(const VecX& x, VecX& y) const;
  void add_impulses(const VecX& r, VecX& x);
  double impulse_norm(const VecX& r);
  void velocity_of(const VecX& v0, const VecX& r);
  void evaluate_rows(const VecX& b);
  double optimality_error(std::span<const ConvexSet> sets, const VecX& r);
  void prepare_form(SetQpOptions::Form form);
  void set_proximal(double proximal);
  /// Solves one proximal subproblem; returns whether Newton converged.
  bool newton(const VecX& v0, const VecX& b, std::span<const ConvexSet> sets, const SetQpOptions& options,
              const VecX& r_center, SetQpReport& report);
  void project_rows(std::span<const ConvexSet> sets, const VecX& r_center, const VecX& u);
  double slope_along(std::span<const ConvexSet> sets, double t);
  double line_search(std::span<const ConvexSet> sets, double slope);
  bool halves_the_rest(std::span<const ConvexSet> sets);
  bool newton_direction(SetQpReport& report);
  bool dual_direction();
  bool infeasible_direction(std::span<const ConvexSet> sets, const VecX& r, const VecX& change, const VecX& free,
                            SetQpReport& report);

  const BodyMatrix* a_ = nullptr;  ///< null when W is given
  const BlockRows* j_ = nullptr;
  const SparseRows* w_ = nullptr;
  const VecX* compliance_ = nullptr;
  std::vector<double> rho_;
  std::vector<double> sigma_, weight_;  ///< σ and σ + c per group
  bool dual_ = false;
  RowLu row_lu_;
  bool analysed_ = false;  ///< W's pattern
  VecX no_compliance_;
  bool factorised_ = false;
  BodyGraphFactor cholesky_;
  MatX dense_w_;
  Cholesky dense_cholesky_;
  MatX dual_rows_;  ///< G
  std::vector<Mat3> theta_, factorised_theta_;
  VecX v_, u_, z_, p_, gradient_, direction_, row_direction_, a_shift_, scratch_, scratch_rows_;
  double shift_dot_direction_ = 0.0, direction_energy_ = 0.0;
  VecX r_best_;
};

}  // namespace cardhouse
