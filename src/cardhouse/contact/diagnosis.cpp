#include "cardhouse/contact/diagnosis.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/optimization/set_qp.h"

namespace cardhouse {
namespace {

/// Directions below this part of the largest singular value count as dependent: rows of redundant contacts agree to
/// round-off of the geometry, about 1e-12.
constexpr double rank_tolerance = 1e-9;

/// J L⁻ᵀ with A = L Lᵀ: rows whose Euclidean products are those of the kinetic metric. Rows in columns.
MatX mass_normalised_columns(const ContactProblem& problem) {
  MatX result = MatX::Zero(problem.a.rows(), problem.rows());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (const BlockRows::Entry& entry : problem.j.entries(g)) {
      const MatX lower = Eigen::LLT<MatX>(problem.a.block(entry.block)).matrixL();
      const MatX block = lower.triangularView<Eigen::Lower>().solve(MatX(problem.j.block(g, entry).transpose()));
      result.block(entry.column, rows.row, entry.size, rows.dim) += block;
    }
  }
  return result;
}

/// An orthonormal basis of the column space.
MatX column_space(const MatX& columns) {
  if (columns.size() == 0) return MatX(columns.rows(), 0);
  const Eigen::BDCSVD<MatX> svd(columns, Eigen::ComputeThinU);
  const VecX& values = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < values.size() && values[rank] > rank_tolerance * values[0]) ++rank;
  return svd.matrixU().leftCols(rank);
}

MatX select_columns(const MatX& columns, const std::vector<int>& chosen) {
  MatX result(columns.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) result.col(static_cast<Eigen::Index>(i)) = columns.col(chosen[i]);
  return result;
}

double least_angle(const MatX& columns, const ContactProblem& problem) {
  std::vector<int> normal;
  std::vector<int> friction;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const int normals = normal_rows(problem.laws[g], rows.dim);
    for (int i = 0; i < rows.dim; ++i) (i < normals ? normal : friction).push_back(rows.row + i);
  }
  const MatX n = column_space(select_columns(columns, normal));
  const MatX d = column_space(select_columns(columns, friction));
  if (n.cols() == 0 || d.cols() == 0) return 0.5 * std::numbers::pi;
  const double cosine = Eigen::BDCSVD<MatX>(n.transpose() * d).singularValues()[0];
  return std::acos(std::clamp(cosine, 0.0, 1.0));
}

/// ERRATA-free form of Eq. 2.46: W_nn ≤ mu ‖W_nT‖ allows Painlevé's case.
double painleve_ratio(const ContactProblem& problem, int group) {
  const Law& law = problem.laws[group];
  const int dim = problem.j.group(group).dim;
  if (law.kind != Law::Kind::coulomb || dim == 1) return 0.0;
  const Mat3 w = delassus_block(problem, group);
  const double tangents[2] = {law.mu * w(0, 1), dim == 3 ? law.mu_cross * w(0, 2) : 0.0};
  return w(0, 0) > 0.0 ? std::hypot(tangents[0], tangents[1]) / w(0, 0) : 0.0;
}

/// Pointed: there is a velocity with u_N ≥ 1 + mu ‖u_T‖ at all contacts (u = J v), strictly inside the dual cone; then
/// r · u > 0 for every r ≠ 0 of the cone, so that Jᵀ r = 0 is impossible. By duality the smallest Jᵀ r with
/// Σ r_N = 1 in the cone is non-zero. Found by minimising ½‖Jᵀ r‖² − Σ r_N over the cone, whose value is bounded below
/// just when the cone is pointed: projected gradient steps contact by contact.
bool is_pointed(const ContactProblem& problem, const MatX& columns) {
  std::vector<double> rho(problem.groups());
  for (int g = 0; g < problem.groups(); ++g) {
    const double trace = delassus_block(problem, g).trace();
    rho[g] = trace > 0.0 ? problem.j.group(g).dim / trace : 0.0;
  }
  VecX r = VecX::Zero(problem.rows());
  VecX x = VecX::Zero(columns.rows());
  constexpr int sweeps = 2000;
  constexpr double unbounded = 1e5;  // in units of one contact alone, rho: far above what arches and wedges build up
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double moved = 0.0;
    double largest = 0.0;
    for (int g = 0; g < problem.groups(); ++g) {
      const Law& law = problem.laws[g];
      const BlockRows::Group& rows = problem.j.group(g);
      if (law.kind != Law::Kind::coulomb || rho[g] <= 0.0) continue;
      const auto c = columns.middleCols(rows.row, rows.dim);
      Vec3 z = Vec3::Zero();
      z.head(rows.dim) = r.segment(rows.row, rows.dim) - rho[g] / rows.dim * (c.transpose() * x);
      z[0] += rho[g] / rows.dim;
      // The nearest point of the cone ‖r_T‖ ≤ mu r_N.
      const double tangential = z.tail<2>().norm();
      Vec3 p = Vec3::Zero();
      if (tangential <= law.mu * z[0]) {
        p = z;
      } else if (law.mu * tangential > -z[0]) {
        p[0] = (z[0] + law.mu * tangential) / (1.0 + law.mu * law.mu);
        p.tail<2>() = law.mu * p[0] / tangential * z.tail<2>();
      }
      const Vec3 change = p.head<3>() - (Vec3() << r.segment(rows.row, rows.dim), VecX::Zero(3 - rows.dim)).finished();
      r.segment(rows.row, rows.dim) = p.head(rows.dim);
      x += c * change.head(rows.dim);
      moved = std::max(moved, change.norm() / rho[g]);
      largest = std::max(largest, p[0] / rho[g]);
    }
    if (largest > unbounded) return false;
    if (moved <= 1e-9 * largest) return true;
  }
  // Still growing after all sweeps: what grows along a line of the cone does so at a steady pace.
  return x.norm() > 1e-6 * r.norm() * columns.colwise().norm().maxCoeff();
}

}  // namespace

Diagnosis diagnose(const ContactProblem& problem) {
  Diagnosis result;
  result.rows = problem.rows();
  result.painleve_ratios.resize(problem.groups());
  for (int g = 0; g < problem.groups(); ++g) {
    result.painleve_ratios[g] = painleve_ratio(problem, g);
    if (result.painleve_contact < 0 || result.painleve_ratios[g] > result.painleve_ratio) {
      result.painleve_ratio = result.painleve_ratios[g];
      result.painleve_contact = g;
    }
  }
  if (problem.delassus || problem.rows() == 0) return result;
  const MatX columns = mass_normalised_columns(problem);
  result.rank = static_cast<int>(column_space(columns).cols());
  result.subspace_angle = least_angle(columns, problem);
  result.pointed = is_pointed(problem, columns);
  return result;
}

void merge(Diagnosis& first, const Diagnosis& second) {
  const int groups = static_cast<int>(first.painleve_ratios.size());
  if (second.painleve_contact >= 0 && (first.painleve_contact < 0 || second.painleve_ratio > first.painleve_ratio)) {
    first.painleve_contact = groups + second.painleve_contact;
    first.painleve_ratio = second.painleve_ratio;
  }
  first.painleve_ratios.insert(first.painleve_ratios.end(), second.painleve_ratios.begin(),
                               second.painleve_ratios.end());
  first.subspace_angle = std::min(first.subspace_angle, second.subspace_angle);
  first.rank += second.rank;
  first.rows += second.rows;
  first.pointed = first.pointed && second.pointed;
}

}  // namespace cardhouse
