// Sparse factorisation of H = A + Jᵀ Θ J on the body graph: A block-diagonal, J block-sparse, Θ block-diagonal with one
// block per group of rows. H has one block row per body, however many contacts there are, and its pattern is symmetric
// also where Θ is not (the derivative of an exact friction law is not). Pattern and order are analysed once and kept
// while the same bodies touch. Pivots are whole diagonal blocks of supernodes: exchanging bodies between them would
// break the pattern, and A on the diagonal makes it needless.
#pragma once

#include <span>
#include <vector>

#include "cardhouse/math/block_rows.h"
#include "cardhouse/math/dense_product.h"
#include "cardhouse/optimization/body_graph.h"
#include "cardhouse/optimization/supernodes.h"

namespace cardhouse {

class BodyGraphFactor {
 public:
  enum class Form {
    general,            ///< L U
    positive_definite,  ///< Θ is symmetric, and so is H: half the work
  };

  /// Does nothing when the pattern is that of the last call. Throws MemoryError where the factor is too large.
  void analyse(const BodyMatrix& a, const BlockRows& j);

  /// theta[g] is Θ's block for group g, in its upper left dim × dim part. cross[g], where there are any and leader[g] ≥
  /// 0, is its block in the rows of g and the columns of leader[g]; g then touches no other bodies than leader[g] does,
  /// and the form is general. False when a pivot is singular, or not positive definite where H should be.
  bool factorise(const BodyMatrix& a, const BlockRows& j, std::span<const Mat3> theta, Form form,
                 std::span<const Mat3> cross = {}, std::span<const int> leader = {});

  /// x = H⁻¹ y.
  void solve(const VecX& y, VecX& x);

 private:
  using Runs = std::span<const Supernodes::Run>;
  using Panel = Eigen::Map<MatX, 0, Eigen::OuterStride<>>;

  /// Where the product of a group's entries e (rows) and f (columns) goes.
  struct Target {
    int first = 0, second = 0;  ///< entries of the group
    int value = 0;              ///< of the block's first number
    int stride = 0;             ///< from column to column
    bool upper = false;         ///< into upper_, transposed
  };

  void lay_out(const BodyMatrix& a, const BlockRows& j);
  Target target(int row, int column) const;
  void fill(const BodyMatrix& a, const BlockRows& j, std::span<const Mat3> theta);
  void add_couplings(const BodyMatrix& a);
  void fill_cross(const BlockRows& j, int group, const Mat3& weight, int leader);
  void add_product(const Target& place, const BlockRows& j, int left, const BlockRows::Entry& e, const Mat3& weight,
                   int right, const BlockRows::Entry& f);
  bool eliminate(std::size_t n);
  bool invert_pivot(Panel pivot);
  void take_from(const Supernodes::Update& update, const Supernodes::Node& node, DenseView l, DenseView u);
  void subtract(DenseView a, DenseView b, int depth, Runs rows, Runs columns, double* target, int stride);

  Panel own(std::size_t n);    ///< width × width: the pivot, then its inverse
  Panel lower(std::size_t n);  ///< below it: H's, then L's
  Panel upper(std::size_t n);  ///< U right of it, transposed: shaped as `lower`

  Form form_ = Form::general;
  BodyGraph graph_;
  Supernodes supernodes_;
  std::vector<int> offset_;  ///< by place: first dof in the caller's vectors
  std::vector<int> size_;    ///< by place
  std::vector<int> panel_start_, upper_start_;
  std::vector<double> panels_, upper_;
  std::vector<int> diagonal_;  ///< by body: of its block's first number in panels_
  std::vector<int> diagonal_stride_;
  std::vector<Target> targets_;
  std::vector<int> first_target_;  ///< per group, one past the end in the last entry
  std::vector<double> scaled_, product_, minus_inverse_;
  /// One group's rows times its weight.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, Eigen::Dynamic> weighted_;
  VecX ordered_, below_, work_;
};

}  // namespace cardhouse
