// Staggered projections: Kaufman 2009, Algorithm 1, sections 5.3–5.5 and 6.2. Symbols as there:
//
//     alpha  normal impulses (and those of joint rows)     C         the set of contact impulses (Eq. 5.13)
//     f      friction impulses                             F(alpha)  the friction set (Eq. 5.14), exact or a polygon
//     P_S    projection onto S in the kinetic metric M⁻¹ (Eq. 5.12), or in that of a given W
#pragma once

#include "cardhouse/optimization/anderson.h"
#include "cardhouse/optimization/set_qp.h"
#include "cardhouse/solvers/convergence_monitor.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct StaggeredProjectionsOptions {
  /// Eq. 5.21: squared relative change of f (−) below which the sequence no longer moves. The change alone does not
  /// stop it (it can be small far from the solution); at round-off level nothing more can be gained.
  double friction_change = 1e-28;
  /// Section 6.4: both projections start from the iterate before, as two machines side by side would; otherwise
  /// friction is projected at the normal impulses just found.
  bool parallel = false;
  /// Earlier iterates combined by Anderson acceleration; 0: the plain sequence of the thesis.
  int anderson_depth = 10;
  /// The sequence aims at this part of the tolerance (−). What is left of the error pushes in the same direction step
  /// after step: a hundredth costs a standing house nothing and makes it creep a hundred times less.
  double aim_part = 0.01;
  int slow_after = 15;     ///< iterations without halving the residual, after which the tolerance itself is good enough
  int restart_after = 40;  ///< iterations without halving the residual, after which the acceleration starts afresh
  int patience = 200;      ///< iterations without halving the residual, after which the best iterate is returned
  /// The projections are solved to this part of the present residual, so that early iterations stay cheap (−).
  double inner_part = 0.1;
  double least_inner_part = 1e-4;  ///< how far that may fall when the sequence stops moving (−)
};

class StaggeredProjections final : public Solver {
 public:
  explicit StaggeredProjections(const SolverOptions& options, const StaggeredProjectionsOptions& own = {})
      : options_(options), own_(own), monitor_(options) {}

  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  void split_rows(const ContactProblem& problem);
  void split_bodies(const ContactProblem& problem);
  void split_given_w(const ContactProblem& problem, const ExplicitDelassus& given);
  void gather(const ContactProblem& problem, const VecX& r);
  void scatter(const ContactProblem& problem, VecX& r) const;
  /// Notes in the report when the contact projection leaves no going on.
  void check(const ContactProblem& problem, const SetQpReport& contact, double residual, SolveReport& report) const;
  /// N alpha ← P_C(−M v_free − f)
  SetQpReport contact_projection(const ContactProblem& problem, double tolerance);
  /// f ← P_F(alpha)(−M v_free − N alpha)
  SetQpReport friction_projection(const ContactProblem& problem, double tolerance);
  double relative_friction_change(const ContactProblem& problem);
  double friction_energy(const ContactProblem& problem, const VecX& f);

  SolverOptions options_;
  StaggeredProjectionsOptions own_;

  BlockRows normal_rows_, friction_rows_;
  VecX normal_b_, friction_b_, normal_compliance_, friction_compliance_;
  std::vector<ConvexSet> normal_sets_, friction_sets_;
  std::vector<int> friction_groups_;      ///< the problem's group of each friction group
  std::vector<int> normal_groups_;        ///< the problem's group of each normal group
  std::vector<int> load_rows_;            ///< of each friction group: the normal row that bounds it
  std::vector<int> place_;                ///< of each row among the normal or the friction rows
  SparseRows w_nn_, w_nt_, w_tn_, w_tt_;  ///< a given W, split
  SetQp contact_qp_, friction_qp_;
  VecX alpha_, f_, f_next_, r_, friction_weight_;
  VecX v_, v_shift_, impulse_, scratch_;
  ConvergenceMonitor monitor_;
  Anderson anderson_;
};

}  // namespace cardhouse
