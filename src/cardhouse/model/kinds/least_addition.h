#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "cardhouse/math/types.h"

namespace cardhouse {

/// The least addition G, positive semidefinite, with which stiffness ≤ inertia + G in each principal direction of the
/// pair (all kg m²). The inertia is positive definite.
inline Mat3 least_addition(const Mat3& inertia, const Mat3& stiffness) {
  // With I = L Lᵀ and L⁻¹ K L⁻ᵀ = V diag(k) Vᵀ both are diagonal in the columns of L V: I + G has max(1, k).
  const Eigen::LLT<Mat3> cholesky(inertia);
  const Mat3 half = cholesky.matrixL().solve(stiffness);
  const Mat3 scaled = cholesky.matrixL().solve(half.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(scaled);
  const Vec3 excess = (eigen.eigenvalues().array() - 1.0).cwiseMax(0.0);
  const Mat3 directions = cholesky.matrixL() * eigen.eigenvectors();
  return directions * excess.asDiagonal() * directions.transpose();
}

}  // namespace cardhouse
