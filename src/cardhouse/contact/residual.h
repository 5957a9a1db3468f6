// The certificate: one function, for all solvers, from the problem and the impulses alone (docs/contact-model.md). For
// each group i of rows, with d rows and rho_i = d / trace(W_ii):
//
//     z_i = r_i − rho_i u_i,   P_i = law_i's projection of z_i,   e_i = r_i − P_i
//     free     = over the island, over groups with r_i ≠ 0 or q_N < 0: max of √rho_i ‖q_i‖
//     scale    = the larger of free and max of ‖r_i‖/√rho_i, but at most 10⁴ free
//     residual = max_i ‖e_i‖/√rho_i / scale
//
// A dependent law's friction is projected onto F(P_N) with P_N of its leader, and acts when its leader closes.
//
// ‖r‖/√rho and √rho ‖q‖ are both roots of an energy, so that the quotient is free of units. Impulses add up along
// chains of bodies and grow with ratios of mass, so that they count in the scale; but where rows contradict each other
// they would grow until any velocity looked small beside them: hence the limit. Of rows without friction only the
// normal part of q counts. q counts as at least 1e-6 of the terms that it is the sum of (not for dependent laws): a
// joint that has nothing to do, or bodies that fall side by side, see only the round-off of these terms.
//
// Both forms of a problem have the same residual. Where W is given, islands and the size of the terms are those that
// the problem tells (ExplicitDelassus); else groups that W couples are of one island, and q counts as it is.
#pragma once

#include <vector>

#include "cardhouse/contact/certificate.h"
#include "cardhouse/contact/group_islands.h"
#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// Computes certificates and keeps its buffers between calls.
class Certifier {
 public:
  /// `per_group`, if given, gets every group's share of the residual.
  Certificate operator()(const ContactProblem& problem, const VecX& r, std::vector<double>* per_group = nullptr);

  /// The same in two parts, for callers that evaluate one problem often: first what does not depend on r, then the
  /// residual alone, with the same bits. Prepare again when any of the problem's data changes.
  void prepare(const ContactProblem& problem);
  double residual(const ContactProblem& problem, const VecX& r);
  Certificate certificate(const ContactProblem& problem, const VecX& r, std::vector<double>* per_group = nullptr);
  /// Takes what another one prepared for the same problem, and must keep as long as this one judges it.
  void share(const Certifier& prepared) { shared_ = &prepared.prepared(); }

  /// The velocities of the last call, recomputed from r, and the free ones.
  const VecX& v() const { return v_; }
  const VecX& u() const { return u_; }
  const VecX& q() const { return prepared().q; }
  /// rho_i of the last problem; 0 where W_ii = 0.
  const std::vector<double>& rho() const { return prepared().rho; }
  /// The largest ratio, over the islands, of the last call's impulses to the scale of the free motion.
  double growth() const { return growth_; }
  /// The largest scale over the islands of the last call.
  double scale() const { return largest_scale_; }

 private:
  /// What does not depend on r.
  struct GroupData {
    double root = 0.0;        ///< √rho
    double free_speed = 0.0;  ///< m/s
    bool acts = false;        ///< whether the free motion makes the law act
    int island = 0;
  };
  struct Prepared {
    VecX q;
    std::vector<double> rho;
    std::vector<GroupData> groups;
    int islands = 0;
  };
  struct IslandData {
    double scale = 0.0;
    double free = 0.0;
  };

  const Prepared& prepared() const { return shared_ ? *shared_ : own_; }
  void find_scales(const ContactProblem& problem, const VecX& r);
  double share(const ContactProblem& problem, int g, const VecX& r) const;
  double projected_load(const ContactProblem& problem, int g, const VecX& r) const;

  Prepared own_;
  const Prepared* shared_ = nullptr;
  VecX v_, u_, terms_;
  std::vector<IslandData> islands_;
  GroupIslands group_islands_;
  double largest_scale_ = 0.0, growth_ = 0.0;
};

Certificate certify(const ContactProblem& problem, const VecX& r);

}  // namespace cardhouse
