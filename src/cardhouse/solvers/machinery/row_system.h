// The linear systems of Newton-type methods on the impulses: (I + Θ W) x = y with Θ block-diagonal, one block per
// group, not necessarily symmetric; a dependent law adds a block in its rows and its leader's columns. In the problem's
// first form they are solved on the body graph,
//
//     (I + Θ J A⁻¹ Jᵀ)⁻¹ = I − Θ J (A + Jᵀ Θ J)⁻¹ Jᵀ,
//
// in the second by a sparse LU factorisation over the rows, with the W that was given. Where few rows touch bodies with
// many nodes, W is formed and takes that way too: the factorisation on the body graph would go through all nodes.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/contact/problem.h"
#include "cardhouse/optimization/body_graph_factor.h"
#include "cardhouse/optimization/row_lu.h"

namespace cardhouse {

class RowSystem {
 public:
  /// The problem must outlive the solves. Call again when any of its matrices changes.
  void set_problem(const ContactProblem& problem);
  /// cross[g], where group g has a dependent law, is Θ's block in its rows and its leader's columns; none: Θ is
  /// block-diagonal. False when the system is singular.
  bool factorise(std::span<const Mat3> theta, std::span<const Mat3> cross = {});
  void solve(const VecX& y, VecX& x);

 private:
  bool on_rows() const { return w_ != nullptr; }
  bool is_symmetric() const;
  void reduce(int g, const Mat3& theta);
  void reduce_cross(int g, const Mat3& cross);
  void solve_on_bodies(const VecX& y, VecX& x);

  const ContactProblem* problem_ = nullptr;
  ContactProblem condensed_;         ///< the problem's second form, where it was formed
  const SparseRows* w_ = nullptr;    ///< given or formed; null: systems are solved on the body graph
  std::vector<int> leader_;          ///< of each group; empty when there are no dependent laws
  std::vector<Mat3> reduced_;        ///< (I + Θ C)⁻¹ Θ: what is left for J A⁻¹ Jᵀ
  std::vector<Mat3> scaling_;        ///< (I + Θ C)⁻¹
  std::vector<Mat3> reduced_cross_;  ///< their blocks in the columns of leaders; empty: none
  std::vector<Mat3> scaling_cross_;
  BodyGraphFactor body_graph_;
  RowLu row_lu_;
  VecX body_, body_solution_, rows_, scaled_;
};

}  // namespace cardhouse
