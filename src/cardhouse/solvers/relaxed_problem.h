// The convex problem behind two methods (Anitescu & Hart 2003; Anitescu 2006, Eq. 5.3–5.5): impulses in the friction
// cones that minimise the energy, with contacts made to open at given speeds s,
//
//     minimise ½ rᵀ W r + (q + s n)ᵀ r   over r in the product of the cones.
//
// s = 0 is the convex relaxation; at s = mu ‖u_T‖ of its own answer the answer is Coulomb's.
//
// Rolling and torsional friction is no part of the cones: its sets F(r_N) are held at loads r_N that are given like the
// s, and where they are those of the answer they are the law's.
#pragma once

#include <functional>
#include <utility>

#include "cardhouse/contact/problem.h"
#include "cardhouse/optimization/set_qp.h"
#include "cardhouse/solvers/report.h"

namespace cardhouse {

class RelaxedProblem {
 public:
  /// The problem must outlive the solves.
  void set_problem(const ContactProblem& problem);

  /// From the guess r to the solution; `held` holds one number per group: s (m/s), or the load (N s) of a dependent
  /// law. `tolerance` as in SetQpOptions.
  SetQpReport solve(const VecX& held, double tolerance, VecX& r);
  /// As SetQpOptions::stop, for all solves from now on.
  void end_when(std::function<bool()> stop) { stop_ = std::move(stop); }

  /// What to hold at the impulses r, which give the velocities u.
  void hold(const VecX& r, const VecX& u, VecX& held) const;
  /// The same with s = 0.
  void hold_loads(const VecX& r, VecX& held) const;

 private:
  const ContactProblem* problem_ = nullptr;
  SetQp qp_;
  std::function<bool()> stop_;
  std::vector<ConvexSet> sets_;
  VecX v0_, b_, shifted_, v_;
};

/// p = impulses within the program's sets: every group of r projected onto its cone or bounds, dependent laws at the
/// loads of p.
void project_on_cones(const ContactProblem& problem, const VecX& r, VecX& p);

/// How far impulses r, which give the velocities u, are from solving the program with s = 0 and the loads of r: max
/// over groups of ‖r − P(r − rho u)‖/√rho (√J). Rows that nothing moves, rho = 0, have no part in it.
double relaxed_error(const ContactProblem& problem, const std::vector<double>& rho, const VecX& r, const VecX& u);

/// Says of a report that ended above the tolerance that its answer is the relaxed problem's, which misses Coulomb's law
/// by `error`.
void tell_relaxed(bool solved, double error, SolveReport& report);

/// Copies what a QP says of rows that contradict each other, or of its failure, to a solver's report.
void tell(const ContactProblem& problem, const SetQpReport& qp, SolveReport& report);

/// Whether the convex programs can't take the problem, which the report then says.
bool refuse_uneven_compliance(const ContactProblem& problem, SolveReport& report);

}  // namespace cardhouse
