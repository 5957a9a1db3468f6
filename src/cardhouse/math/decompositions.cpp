#include "cardhouse/math/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace cardhouse {

/// The positive eigenvalues of (0 R; Rᵀ 0), with R of matrix = Q R: as exact as a decomposition of the matrix itself,
/// which would take half a minute to compile.
VecX singular_values(const MatX& matrix) {
  const MatX r = triangle_of_qr(matrix.rows() < matrix.cols() ? MatX(matrix.transpose()) : matrix);
  const Eigen::Index n = r.rows();
  MatX both = MatX::Zero(2 * n, 2 * n);
  both.topRightCorner(n, n) = r;
  both.bottomLeftCorner(n, n) = r.transpose();
  return symmetric_eigenvalues(both).tail(n).reverse().cwiseMax(0.0);
}

MatX column_space(const MatX& columns, double threshold) {
  if (columns.size() == 0) return MatX(columns.rows(), 0);
  Eigen::ColPivHouseholderQR<MatX> qr(columns);
  qr.setThreshold(threshold);
  return qr.householderQ() * MatX::Identity(columns.rows(), qr.rank());
}

VecX symmetric_eigenvalues(const MatX& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatX>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen symmetric_eigen(const MatX& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

MatX triangle_of_qr(const MatX& matrix) {
  const Eigen::HouseholderQR<MatX> qr(matrix);
  return qr.matrixQR().topRows(matrix.cols()).triangularView<Eigen::Upper>();
}

VecX least_squares(const Eigen::Ref<const MatX>& a, const VecX& b, double threshold) {
  Eigen::ColPivHouseholderQR<MatX> qr(a);
  if (threshold > 0.0) qr.setThreshold(threshold);
  return qr.solve(b);
}

Mat3 pseudo_inverse(const Mat3& matrix, double threshold) {
  PseudoInverse inverse;
  inverse.compute(matrix, threshold);
  return inverse.apply(MatX(MatX::Identity(3, 3)));
}

Vec3 solve_pivoted(const Mat3& matrix, const Vec3& right) {
  return Eigen::FullPivLU<Mat3>(matrix).solve(right);
}

MatX general_inverse(const MatX& matrix) {
  return Eigen::PartialPivLU<MatX>(matrix).inverse();
}

VecX solve_general(const MatX& matrix, const VecX& right) {
  return Eigen::PartialPivLU<MatX>(matrix).solve(right);
}

bool Cholesky::compute(const Eigen::Ref<const MatX>& matrix) {
  factor_.compute(matrix);
  return succeeded();
}

VecX Cholesky::solve(const VecX& right) const {
  return factor_.solve(right);
}

MatX Cholesky::inverse() const {
  return factor_.solve(MatX::Identity(factor_.rows(), factor_.cols()));
}

MatX Cholesky::lower() const {
  return factor_.matrixL();
}

void PseudoInverse::compute(const MatX& matrix, double threshold) {
  factor_.setThreshold(threshold);
  factor_.compute(matrix);
}

VecX PseudoInverse::apply(const VecX& x) const {
  return factor_.solve(x);
}

MatX PseudoInverse::apply(const MatX& x) const {
  return factor_.solve(x);
}

}  // namespace cardhouse
