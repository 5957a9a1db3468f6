// W as a matrix: how much of it is independent, how symmetric, how definite and how well conditioned it is. Dense
// linear algebra: for problems of up to a thousand rows or so.
#pragma once

#include "cardhouse/contact/problem.h"

namespace cardhouse {

/// Rows up to which dense matrices take about a minute at most.
constexpr int most_dense_rows = 1500;

enum class Definiteness {
  definite,      ///< all eigenvalues above the noise
  semidefinite,  ///< some within it
  rounded,       ///< a given W with negative eigenvalues that rounding its numbers to six digits explains
  indefinite,
};

/// Eigenvalues are those of W's symmetric part (W + Wᵀ)/2, in m/s per N s.
struct MatrixDiagnosis {
  int rows = 0;
  int rank = 0;                ///< eigenvalues above the noise
  double largest = 0.0;        ///< eigenvalue
  double least = 0.0;          ///< eigenvalue; negative only where W is given
  double least_nonzero = 0.0;  ///< the least one above the noise
  double noise = 0.0;          ///< eigenvalues of this size and below count as zero
  Definiteness definiteness = Definiteness::definite;

  /// On the space where W is not zero; 1 without rows.
  double condition() const { return least_nonzero > 0.0 ? largest / least_nonzero : 1.0; }
};
MatrixDiagnosis diagnose_matrix(const ContactProblem& problem);

/// ‖W − Wᵀ‖/‖W‖ (Frobenius) of a given W; 0 for bodies, whose W is symmetric. Sparse: for any size.
double asymmetry(const ContactProblem& problem);

/// K with Kᵀ K = W, with no more rows than columns and one column per row of the problem. For bodies K is A^(-1/2) Jᵀ
/// reduced to fewer rows, without compliance. For a given W it is made from the eigenvalues of the symmetric part that
/// are above the noise.
MatX kinetic_factor(const ContactProblem& problem);

}  // namespace cardhouse
