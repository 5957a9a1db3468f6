#include "cardhouse/contact/row_system.h"

#include <Eigen/LU>

namespace cardhouse {

void RowSystem::set_problem(const ContactProblem& problem) {
  problem_ = &problem;
  theta_.resize(problem.groups());
  reduced_.resize(problem.groups());
  scaling_.resize(problem.groups());
  if (!problem.delassus) body_graph_.analyse(problem.a, problem.j);
}

bool RowSystem::factorise(std::span<const Mat3> theta) {
  const ContactProblem& problem = *problem_;
  std::copy(theta.begin(), theta.end(), theta_.begin());
  if (!problem.delassus) {
    for (int g = 0; g < problem.groups(); ++g) {
      const double c = problem.compliance[problem.j.group(g).row];
      scaling_[g] = c == 0.0 ? Mat3(Mat3::Identity()) : Mat3((Mat3::Identity() + c * theta[g]).inverse());
      reduced_[g] = c == 0.0 ? theta[g] : Mat3(scaling_[g] * theta[g]);
    }
    return body_graph_.factorise(problem.a, problem.j, reduced_);
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(problem.delassus->w.nonZeros() + problem.rows());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    for (int k = 0; k < rows.dim; ++k) {
      for (SparseRows::InnerIterator w(problem.delassus->w, rows.row + k); w; ++w) {
        for (int i = 0; i < rows.dim; ++i) {
          if (theta[g](i, k) != 0.0)
            entries.emplace_back(rows.row + i, static_cast<int>(w.col()), theta[g](i, k) * w.value());
        }
      }
      entries.emplace_back(rows.row + k, rows.row + k, 1.0);
    }
  }
  Eigen::SparseMatrix<double> matrix(problem.rows(), problem.rows());
  matrix.setFromTriplets(entries.begin(), entries.end());
  row_graph_.compute(matrix);
  return row_graph_.info() == Eigen::Success;
}

void RowSystem::solve_once(const VecX& y, VecX& x) {
  const ContactProblem& problem = *problem_;
  if (problem.delassus) {
    x = row_graph_.solve(y);
    return;
  }
  // (I + Θ C + Θ W₀) x = y  ⇔  (I + reduced W₀) x = scaling y
  scaled_.resize(y.size());
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    scaled_.segment(rows.row, rows.dim).noalias() =
        scaling_[g].topLeftCorner(rows.dim, rows.dim) * y.segment(rows.row, rows.dim);
  }
  body_.setZero(problem.a.rows());
  problem.j.add_transposed(scaled_, body_);
  body_graph_.solve(body_, body_solution_);
  problem.j.multiply(body_solution_, rows_);
  x = scaled_;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    x.segment(rows.row, rows.dim).noalias() -=
        reduced_[g].topLeftCorner(rows.dim, rows.dim) * rows_.segment(rows.row, rows.dim);
  }
}

void RowSystem::solve(const VecX& y, VecX& x) {
  solve_once(y, x);
}

}  // namespace cardhouse
