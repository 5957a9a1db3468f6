#include "cardhouse/contact/matrix_diagnosis.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cardhouse/math/decompositions.h"

namespace cardhouse {
namespace {

/// Part of the largest eigenvalue that is round-off in any case: redundant contacts agree to about 1e-12.
constexpr double eigenvalue_round_off = 1e-12;

/// Part of the largest eigenvalue down to which negative ones are rounding: numbers of six digits are off by 5e-7 of
/// their size, and the errors of a row of W add up.
constexpr double six_digits = 1e-5;

/// The same for singular values of K, the roots of W's eigenvalues.
constexpr double factor_round_off = 1e-9;

MatX symmetric_part(const ContactProblem& problem) {
  const MatX w(problem.delassus->w);
  return 0.5 * (w + w.transpose());
}

/// Eigenvalues rising. Negative ones tell how far off the small positive ones are.
double noise_of(const VecX& eigenvalues) {
  const double least = eigenvalues[0];
  const double size = std::max(std::abs(least), std::abs(eigenvalues[eigenvalues.size() - 1]));
  const double below = -least <= six_digits * size ? 2.0 * std::max(-least, 0.0) : 0.0;
  return std::max(eigenvalue_round_off * size, below);
}

/// K with the same Kᵀ K and no more rows than columns.
MatX compressed(const MatX& k) {
  if (k.rows() <= k.cols()) return k;
  return triangle_of_qr(k);
}

/// Where the freedoms of each body begin, counting those with rows alone; −1 for the others. Returns their sum.
int number_freedoms(const ContactProblem& problem, std::vector<int>& offset) {
  offset.assign(problem.a.blocks(), -1);
  int count = 0;
  for (int g = 0; g < problem.groups(); ++g) {
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      int& first = offset[problem.a.first_of_body(entry.block)];
      if (first >= 0) continue;
      first = count;
      count += problem.a.body_size(entry.block);
    }
  }
  return count;
}

/// A^(-1/2) Jᵀ: rows whose Euclidean products are those of the kinetic metric, in columns.
MatX mass_normalised_columns(const ContactProblem& problem) {
  std::vector<int> offset;
  MatX result = MatX::Zero(number_freedoms(problem, offset), problem.rows());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const MatX root = problem.a.root_times(problem.j.block(g, entry), entry.block);
      result.block(offset[problem.a.first_of_body(entry.block)], rows.row, root.rows(), rows.dim) += root;
    }
  }
  return compressed(result);
}

Definiteness definiteness_of(const MatrixDiagnosis& found) {
  const double size = std::max(found.largest, -found.least);
  if (found.least < -six_digits * size) return Definiteness::indefinite;
  if (found.least < -eigenvalue_round_off * size) return Definiteness::rounded;
  return found.rank < found.rows ? Definiteness::semidefinite : Definiteness::definite;
}

void count_given(const ContactProblem& problem, MatrixDiagnosis& result) {
  const VecX values = symmetric_eigenvalues(symmetric_part(problem));
  result.noise = noise_of(values);
  result.least = values[0];
  result.largest = values[values.size() - 1];
  for (Eigen::Index i = values.size(); i-- > 0 && values[i] > result.noise;) {
    ++result.rank;
    result.least_nonzero = values[i];
  }
}

/// By the singular values of K, which keep twice the digits of W's eigenvalues. Compliance adds to W's diagonal as K
/// with its roots below does.
void count_bodies(const ContactProblem& problem, MatrixDiagnosis& result) {
  MatX k = mass_normalised_columns(problem);
  if ((problem.compliance.array() != 0.0).any()) {
    const MatX springs = problem.compliance.cwiseMax(0.0).cwiseSqrt().asDiagonal();
    k.conservativeResize(k.rows() + springs.rows(), Eigen::NoChange);
    k.bottomRows(springs.rows()) = springs;
  }
  if (k.rows() == 0) return;
  const VecX values = singular_values(k);
  const double noise = factor_round_off * values[0];
  result.largest = values[0] * values[0];
  result.noise = noise * noise;
  for (Eigen::Index i = 0; i < values.size() && values[i] > noise; ++i) {
    ++result.rank;
    result.least_nonzero = values[i] * values[i];
  }
  result.least = result.rank < result.rows ? 0.0 : result.least_nonzero;
}

}  // namespace

MatrixDiagnosis diagnose_matrix(const ContactProblem& problem) {
  MatrixDiagnosis result;
  result.rows = problem.rows();
  if (result.rows == 0) return result;
  problem.delassus ? count_given(problem, result) : count_bodies(problem, result);
  result.definiteness = definiteness_of(result);
  return result;
}

double asymmetry(const ContactProblem& problem) {
  if (!problem.delassus) return 0.0;
  const SparseRows& w = problem.delassus->w;
  const SparseRows difference = w - SparseRows(w.transpose());
  const double size = w.norm();
  return size > 0.0 ? difference.norm() / size : 0.0;
}

MatX kinetic_factor(const ContactProblem& problem) {
  if (!problem.delassus) return mass_normalised_columns(problem);
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(problem));
  const VecX& values = eigen.values;
  const double noise = noise_of(values);
  const auto kept = static_cast<Eigen::Index>((values.array() > noise).count());  // the last ones: they rise
  return values.tail(kept).cwiseSqrt().asDiagonal() * eigen.vectors.rightCols(kept).transpose();
}

}  // namespace cardhouse
