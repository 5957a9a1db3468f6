// Dense decompositions as plain functions and classes. Eigen's templates for them take seconds each to compile: here
// they are compiled once. What is small and fixed in size (2 × 2, LLT of 3 × 3) is used directly where it is needed.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// Falling.
VecX singular_values(const MatX& matrix);

/// An orthonormal basis of the space of the columns. Those that add less than `threshold` of the largest to the span of
/// the others count as dependent.
MatX column_space(const MatX& columns, double threshold);

/// Rising; of a symmetric matrix.
VecX symmetric_eigenvalues(const MatX& matrix);

struct SymmetricEigen {
  VecX values;   ///< rising
  MatX vectors;  ///< columns
};
SymmetricEigen symmetric_eigen(const MatX& matrix);

/// R of matrix = Q R, for a matrix with at least as many rows as columns.
MatX triangle_of_qr(const MatX& matrix);

/// The x that minimises ‖a x − b‖. Columns that add less than `threshold` of the largest to their span count as
/// dependent; 0: those that add round-off.
VecX least_squares(const Eigen::Ref<const MatX>& a, const VecX& b, double threshold = 0.0);

/// Directions below `threshold` of the largest count as none.
Mat3 pseudo_inverse(const Mat3& matrix, double threshold);

/// By elimination with full pivoting: of a singular system one of its solutions, if it has any.
Vec3 solve_pivoted(const Mat3& matrix, const Vec3& right);

/// The inverse of a regular matrix that need not be symmetric.
MatX general_inverse(const MatX& matrix);
VecX solve_general(const MatX& matrix, const VecX& right);

/// L Lᵀ of a symmetric positive definite matrix.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(const Eigen::Ref<const MatX>& matrix) { compute(matrix); }
  /// False when the matrix is not positive definite.
  bool compute(const Eigen::Ref<const MatX>& matrix);
  bool succeeded() const { return factor_.info() == Eigen::Success; }

  VecX solve(const VecX& right) const;
  MatX inverse() const;
  MatX lower() const;  ///< L

 private:
  Eigen::LLT<MatX> factor_;
};

/// M⁺ of a square matrix that may be singular.
class PseudoInverse {
 public:
  /// Directions below `threshold` of the largest count as none.
  void compute(const MatX& matrix, double threshold);
  int rank() const { return static_cast<int>(factor_.rank()); }
  VecX apply(const VecX& x) const;
  MatX apply(const MatX& x) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<MatX> factor_;
};

}  // namespace cardhouse
