// A: symmetric positive definite, one block per body. A rigid body's block is small, dense and well conditioned (masses
// and inertias): its inverse is kept, and loses no digits worth a triangular solve. A body with many nodes has a small
// block for each of them, coupled to its neighbours' (coupled_blocks.h). Columns of J are counted in these small
// blocks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/math/coupled_blocks.h"
#include "cardhouse/math/types.h"

namespace cardhouse {

class BodyMatrix {
 public:
  using Block = Eigen::Map<const MatX>;
  /// A body whose blocks are coupled.
  struct Coupled {
    int first_block = 0;
    int offset = 0;  ///< of its first dof
    std::shared_ptr<const CoupledBlocks> matrix;
  };

  void clear();
  void reserve(int blocks, int entries);
  /// Appends a block and returns its index. The block must be symmetric positive definite.
  int add(const Eigen::Ref<const MatX>& block);
  /// Appends a block whose inverse is known.
  int add(const Eigen::Ref<const MatX>& block, const Eigen::Ref<const MatX>& inverse);
  /// Appends a body with many nodes, factorised; returns its first block.
  int add(std::shared_ptr<const CoupledBlocks> body);
  /// Appends the body of another matrix's block, with all its blocks; returns the first.
  int add_body_of(const BodyMatrix& other, int block);

  int blocks() const { return static_cast<int>(size_.size()); }
  int rows() const { return rows_; }
  int size(int i) const { return size_[i]; }
  int offset(int i) const { return offset_[i]; }
  /// On the diagonal.
  Block block(int i) const;
  /// Of a block that is not coupled, as it was computed: for files alone, from which the same bits must come back.
  Block kept_inverse(int i) const { return inverse(i); }
  bool is_coupled(int i) const { return coupled_of_[i] >= 0; }
  bool has_coupled_bodies() const { return !coupled_.empty(); }
  std::span<const Coupled> coupled_bodies() const { return coupled_; }
  /// Dofs of the body that a block belongs to.
  int body_size(int i) const { return coupled_of_[i] < 0 ? size_[i] : coupled_[coupled_of_[i]].matrix->rows(); }
  /// Blocks of that body.
  int body_blocks(int i) const { return coupled_of_[i] < 0 ? 1 : coupled_[coupled_of_[i]].matrix->nodes(); }
  /// The first block of the body that a block belongs to: its own number, unless it is coupled to others.
  int first_of_body(int i) const { return coupled_of_[i] < 0 ? i : coupled_[coupled_of_[i]].first_block; }

  /// y = A x and y = A⁻¹ x; x and y must not be the same.
  void multiply(const VecX& x, VecX& y) const;
  void solve(const VecX& x, VecX& y) const;
  /// y += A⁻¹ x for an x whose only part that is not zero is that of one block.
  void add_solved(int block, const Eigen::Ref<const VecX>& x, VecX& y) const;
  /// xᵀ A⁻¹ x: the square of the kinetic metric's norm of an impulse.
  double inverse_norm_squared(const VecX& x) const;
  /// K with Kᵀ K = left A⁻¹ leftᵀ for rows on one block, as many rows as the block's body has dofs.
  MatX root_times(const Block& left, int block) const;
  /// product += left (A⁻¹ between two blocks) rightᵀ, for rows `left` and `right` of at most three.
  void add_sandwich(const Block& left, int block, const Block& right, int other, Mat3& product) const;
  /// effect += left A⁻¹ over the columns first … end − 1 of `left`, for a block that is not coupled.
  void add_rows_times_inverse(const Block& left, int block, int first, int end, double* effect) const;

 private:
  Block inverse(int i) const { return Block(inverse_.data() + data_[i], size_[i], size_[i]); }
  void apply(const std::vector<double>& blocks, const VecX& x, VecX& y) const;

  int rows_ = 0;
  std::vector<int> size_, offset_;
  std::vector<int> data_;        ///< into the values; −1 where the block is coupled
  std::vector<int> coupled_of_;  ///< the coupled body of a block; −1: none
  std::vector<double> value_, inverse_;
  std::vector<Coupled> coupled_;
};

}  // namespace cardhouse
