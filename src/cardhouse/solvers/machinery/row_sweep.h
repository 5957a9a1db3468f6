// Data of methods that change one group of rows at a time: the impulses r and, in the problem's first form, the
// velocities v = v_free + A⁻¹ Jᵀ r. They are kept together, so that one group's u costs as much as its bodies have
// columns. In the second form u_g comes from the group's rows of the given W. Where a few contacts act on many
// velocities, W is smaller than J and is formed once. An impulse on a body with coupled nodes moves all of them: there
// W is always formed.
#pragma once

#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/solvers/machinery/local_contact_solver.h"

namespace cardhouse {

class RowSweep {
 public:
  /// Call again when any of the problem's data changes. The problem itself is not needed afterwards.
  void set_problem(const ContactProblem& problem);
  /// Sets r and recomputes v, without the round-off of earlier changes.
  void set_impulses(const VecX& r);

  int groups() const { return static_cast<int>(groups_.size()); }
  int dim(int g) const { return groups_[g].dim; }
  /// W_ii and the group's law.
  const LocalContactSolver& contact(int g) const { return contacts_[g]; }
  const VecX& impulses() const { return r_; }
  const double* impulse(int g) const { return r_.data() + groups_[g].row; }
  /// The present normal impulse that bounds a group with a dependent law; 0 for other laws.
  double load(int g) const { return groups_[g].leader_row >= 0 ? r_[groups_[g].leader_row] : 0.0; }

  /// u_g at the present impulses.
  void velocity(int g, double* u) const;
  /// r_g = r, with its effect on the velocities.
  void set_impulse(int g, const double* r);

 private:
  /// Some columns side by side of a group's rows: of J, or of W.
  struct Part {
    int column = 0;
    int size = 0;
    int data = 0;  ///< into values_ or effects_, column by column
  };
  struct Group {
    int row = 0;
    int dim = 0;
    int first_part = 0;
    int part_count = 0;
    int first_effect = 0;
    int effect_count = 0;
    int leader_row = -1;  ///< the leader's normal row, of a dependent law
  };

  void take_bodies(const ContactProblem& problem);
  void take_entry(const ContactProblem& problem, int g, const BlockRows::Entry& entry);
  bool is_worth_forming() const;
  bool share_a_body(const Group& one, const Group& other) const;
  /// J_g A⁻¹ J_hᵀ, in the upper left part, and W_gg, which has the compliance too.
  Mat3 product(const Group& g, const Group& h) const;
  Mat3 block_of_w(const Group& group) const;
  void form_rows_of_w(const ContactProblem& problem);
  void take_rows_of_w(const ExplicitDelassus& delassus, const BlockRows& j);
  void append_column(Group& group, int column, const double* values);
  template <int dim>
  void multiply(const Group& group, double* u) const;
  template <int dim>
  void apply(const Group& group, const double* change);

  bool has_bodies_ = false;
  std::vector<Group> groups_;
  std::vector<Part> parts_;         ///< of values_
  std::vector<double> values_;      ///< J or W, where it is not zero
  std::vector<Part> effect_parts_;  ///< of effects_, one per body
  std::vector<double> effects_;     ///< J A⁻¹
  std::vector<Part> w_parts_;       ///< scratch of forming W, like the next two
  std::vector<double> w_values_;
  std::vector<int> w_counts_;
  std::vector<LocalContactSolver> contacts_;
  VecX offset_;      ///< b, or q
  VecX compliance_;  ///< the diagonal of C; empty in the second form
  VecX v_free_;
  VecX r_, v_;
};

}  // namespace cardhouse
