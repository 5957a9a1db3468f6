// Staggered projections to the letter of Kaufman 2009, Algorithm 1: the plain sequence, stopped by the relative change
// of friction (Eq. 5.21). The solver `staggered-projections` accelerates the sequence and stops by the common residual;
// its counts of iterations can't be compared with published ones, these can.
#pragma once

#include <functional>
#include <vector>

#include "cardhouse/base/deadline.h"
#include "cardhouse/contact/problem.h"
#include "cardhouse/optimization/set_qp.h"

namespace cardhouse::reproduction {

class Algorithm1 {
 public:
  struct Options {
    double tolerance = 1e-4;  ///< epsilon: of the squared relative change of friction (section 7.6)
    int max_iterations = 1000;
    /// The projections are solved to this part of the problem's scale (−): exact beside what the sequence is asked for.
    double projection = 1e-11;
    CancellationToken stop = {};  ///< looked at before each iteration: throws Cancelled
  };
  struct Result {
    int iterations = 0;
    bool converged = false;
    VecX r;  ///< N s
  };
  /// Gets the impulses (alpha^i, f^i) after each iteration.
  using Observe = std::function<void(const VecX& r)>;

  /// The problem, of bodies and not of a given W, must outlive this.
  explicit Algorithm1(const ContactProblem& problem);
  Algorithm1(const Algorithm1&) = delete;
  Algorithm1& operator=(const Algorithm1&) = delete;

  /// From the friction impulses in `guess`.
  Result solve(const VecX& guess, const Options& options, const Observe& observe = {});

 private:
  void split_rows();
  /// Values of all rows, apart.
  void gather(const VecX& rows, VecX& normal, VecX& friction) const;
  void contact_projection();
  void friction_projection();
  /// ‖D f‖² in the kinetic metric.
  double friction_energy(const VecX& f);
  void scatter(VecX& r) const;

  const ContactProblem& problem_;
  double scale_ = 0.0;         ///< √J: of the problem
  double qp_tolerance_ = 0.0;  ///< √J
  BlockRows normal_rows_, friction_rows_;
  VecX normal_b_, friction_b_, no_normal_compliance_, no_friction_compliance_;
  std::vector<ConvexSet> normal_sets_, friction_sets_;
  std::vector<int> friction_groups_;  ///< the problem's group of each friction group
  std::vector<int> load_rows_;        ///< of each of these the place in alpha of the normal impulse that bounds it
  std::vector<int> place_;            ///< of each row in alpha or in f
  std::vector<char> is_normal_;       ///< each row's
  SetQp contact_qp_, friction_qp_;
  VecX alpha_, f_, f_next_, v_, v_shift_, impulse_;
};

/// The objective of Eq. 5.32, whose minima with value 0 are the solutions: Σ r · u + lambda mu alpha, with the least
/// lambda that is feasible (J).
double complementarity_objective(const ContactProblem& problem, const VecX& r);

/// The distance of two solutions in the kinetic metric, which does not tell impulses apart that move nothing (√J).
double kinetic_distance(const ContactProblem& problem, const VecX& r, const VecX& other);

}  // namespace cardhouse::reproduction
