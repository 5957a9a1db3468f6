// The part of A that belongs to a body with many nodes: symmetric positive definite, one small block per node on the
// diagonal and a block for each pair of nodes that a spring or an element couples. It is factorised once, P A Pᵀ = L D
// Lᵀ with a fill-reducing order P, and immutable from then on.
//
// Diagonal blocks of J A⁻¹ Jᵀ need entries of A⁻¹ between nodes of one contact. These are neighbours, and the inverse
// on the pattern of L comes without any solve (Takahashi, Fagan & Chin 1973): with Z = (L D Lᵀ)⁻¹,
//
//     z_ij = −Σ_k l_kj z_ik  (i > j),    z_jj = 1/d_j − Σ_k l_kj z_kj,    k over the pattern of column j of L.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cardhouse/math/types.h"

namespace cardhouse {

class CoupledBlocks {
 public:
  /// A block below the diagonal: rows of one node, columns of an earlier one.
  struct Coupling {
    int row = 0, column = 0;  ///< nodes, row > column
    int data = 0;             ///< into the values, column-major
  };
  using Block = Eigen::Map<const MatX>;

  /// A node of so many dofs, its block zero; returns its number.
  int add_node(int size);
  /// Between two different nodes, each pair once, its block zero.
  Coupling add_coupling(int one, int other);

  int nodes() const { return static_cast<int>(size_.size()); }
  int rows() const { return rows_; }
  int size(int node) const { return size_[node]; }
  int offset(int node) const { return offset_[node]; }
  std::span<const Coupling> couplings() const { return couplings_; }
  Block diagonal(int node) const { return {values_.data() + diagonal_[node], size_[node], size_[node]}; }
  Eigen::Map<MatX> diagonal(int node) { return {values_.data() + diagonal_[node], size_[node], size_[node]}; }
  Block block(const Coupling& c) const { return {values_.data() + c.data, size_[c.row], size_[c.column]}; }
  Eigen::Map<MatX> block(const Coupling& c) { return {values_.data() + c.data, size_[c.row], size_[c.column]}; }

  /// False when the matrix is not positive definite or not finite. Throws MemoryError where the factor is too large.
  bool factorise();
  /// Bytes that factor and selected inverse take; known after factorise().
  std::size_t factor_bytes() const;

  /// y = A x and y = A⁻¹ x over all dofs; x and y must not be the same. `solve` and what follows need the factor.
  void multiply(const double* x, double* y) const;
  void solve(const double* x, double* y) const;
  /// y with yᵀ y = xᵀ A⁻¹ x: D^(−1/2) L⁻¹ P x.
  void solve_root(const double* x, double* y) const;
  /// (A⁻¹) between the dofs of two nodes. Quick for nodes that are coupled; else by solves.
  MatX inverse_block(int row, int column) const;

 private:
  struct Factor;

  int rows_ = 0;
  std::vector<int> size_, offset_, diagonal_;
  std::vector<Coupling> couplings_;
  std::vector<double> values_;
  std::shared_ptr<const Factor> factor_;  ///< shared by copies: it does not change
};

}  // namespace cardhouse
