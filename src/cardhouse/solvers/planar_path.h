// Lemke's path for contacts in the plane, walked on the body graph. With one tangent per contact the law is piecewise
// linear: each contact is open, sticks, or slips this way or that, and given these states impulses and velocities are
// the solution of one sparse linear system. Adding t > 0 to every normal velocity opens all contacts when t is large;
// from there t is led back to 0, one contact changing its state at a time. These are the complementary bases of Lemke's
// method on the LCP of Stewart & Trinkle and of Anitescu & Potra, whose matrix is copositive, so that the path can't
// end in a ray when the rows can be met (Anitescu & Potra 1997) — but a pivot costs a sparse factorisation of the
// bodies instead of an update of a dense table of all unknowns. t may rise on the way: that is the path's own doing.
//
// The guess is not used: paths that begin at one were short or lost, and nothing is promised for them.
#pragma once

#include <vector>

#include "cardhouse/contact/row_system.h"
#include "cardhouse/solvers/judge.h"
#include "cardhouse/solvers/solver.h"

namespace cardhouse {

struct PlanarPathOptions {
  /// Compliance against W's diagonal (−): makes the systems regular where contacts are redundant. Less of it costs
  /// digits, more of it makes another problem; what it takes is given back by walking on around the answer.
  double proximal = 1e-5;
  int most_walks = 100;  ///< all but the first cost few changes
  /// Changes of state per group and walk, after which the path is given up: most take three, regular lattices ten.
  int most_changes = 20;
  double aim_part = 0.01;  ///< the walks aim at this part of the tolerance (−)
};

class PlanarPath final : public Solver {
 public:
  explicit PlanarPath(const SolverOptions& options, const PlanarPathOptions& own = {})
      : options_(options), own_(own), judge_(options) {}

  /// Iterations in the report are walks; inner iterations are changes of state.
  SolveReport solve(const ContactProblem& problem, ContactSolution& solution) override;

 private:
  enum class State : char { open, stick, slip_forward, slip_backward, lower, upper };
  /// What must not become negative while a state holds: the speed at which an open contact opens, the normal impulse,
  /// slip against friction, what is left of friction or of a bounded impulse forward and backward, the speed away from
  /// a bound.
  enum class Condition : char { opening, pressing, slipping, forward_reserve, backward_reserve, leaving };
  enum class End { arrived, ray, gave_up };
  /// At t: value + slope t, in √J.
  struct Line {
    double value = 0.0, slope = 0.0;
  };
  struct Crossing {
    int group = -1;
    Condition condition = Condition::opening;
    double distance = 0.0;  ///< in t
  };

  void start(const ContactProblem& problem);
  void open_all();
  double lowest_open() const;
  void soften_around_answer();
  End walk(SolveReport& report);

  void weigh(int g);
  bool solve_states();
  void solve_for(const VecX& q, const VecX* offset, VecX& x);
  void soft_velocity(const VecX& distance, const VecX& r, VecX& u);

  bool sticks_by_friction(int g) const;
  template <typename Visit>
  void for_conditions(int g, const Visit& visit) const;
  Line line(int g, Condition condition) const;
  Crossing next_crossing(double t, double direction, int entered) const;
  Condition change(const Crossing& crossing, double t);
  Condition change_bounded(const Crossing& crossing);

  SolverOptions options_;
  PlanarPathOptions own_;
  Judge judge_;
  const ContactProblem* problem_ = nullptr;
  RowSystem system_;
  std::vector<double> root_rho_;  ///< per group, √kg: velocity times it and impulse over it are √J
  std::vector<double> softness_;  ///< per group: the compliance, m/s per N s
  double slack_ = 0.0;            ///< √J: round-off of conditions
  std::vector<State> states_;
  std::vector<Mat3> theta_;
  VecX free_, center_;  ///< q, and the impulses around which the compliance acts
  VecX end_, way_;      ///< the centre's velocity, and what is added to it times t
  VecX offset_;
  VecX r_end_, r_way_, u_end_, u_way_;  ///< impulses and velocities in the present states: end + t way
  VecX right_, v_;
  double top_ = 0.0;  ///< t where the walk begins
};

/// Whether all groups have one tangent at most, and laws that are piecewise linear then.
bool is_planar(const ContactProblem& problem);

}  // namespace cardhouse
