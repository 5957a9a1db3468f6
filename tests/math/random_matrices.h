// Random block matrices and their dense twins.
#pragma once

#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

#include "cardhouse/math/block_rows.h"

namespace cardhouse::testing {

/// Numbers from a seed that tests print.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  /// 0 … count − 1
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }

  VecX vector(int size) {
    VecX x(size);
    for (double& xi : x) xi = normal();
    return x;
  }
  MatX matrix(int rows, int columns) {
    MatX x(rows, columns);
    for (int j = 0; j < columns; ++j) x.col(j) = vector(rows);
    return x;
  }
  Vec3 direction() { return Vec3(vector(3)).normalized(); }
  /// Symmetric, with eigenvalues of at least 0.5.
  MatX positive_definite(int size) {
    const MatX x = matrix(size, size);
    return x * x.transpose() / size + 0.5 * MatX::Identity(size, size);
  }

 private:
  std::mt19937 engine_;
};

inline BodyMatrix random_blocks(Random& random, std::initializer_list<int> sizes) {
  BodyMatrix a;
  for (int size : sizes) a.add(random.positive_definite(size));
  return a;
}

/// A body of so many nodes with 1 to 3 dofs each, coupled in a ring with chords, factorised.
inline std::shared_ptr<CoupledBlocks> random_coupled_body(Random& random, int nodes) {
  auto body = std::make_shared<CoupledBlocks>();
  for (int n = 0; n < nodes; ++n) body->add_node(1 + random.index(3));
  for (int n = 0; n < nodes; ++n) body->diagonal(n) = random.positive_definite(body->size(n));
  // Each coupling is a positive semidefinite term in its two nodes, as a spring's stiffness is.
  const auto couple = [&](int one, int other) {
    const CoupledBlocks::Coupling c = body->add_coupling(one, other);
    const MatX x = random.matrix(body->size(c.row), 2);
    const MatX y = random.matrix(body->size(c.column), 2);
    body->diagonal(c.row) += x * x.transpose();
    body->diagonal(c.column) += y * y.transpose();
    body->block(c) = x * y.transpose();
  };
  for (int n = 0; n + 1 < nodes; ++n) couple(n, n + 1);
  for (int n = 0; n + 5 < nodes; n += 3) couple(n + 5, n);
  body->factorise();
  return body;
}

/// Groups of 1 to 3 rows on one or two bodies each; every fourth has both sides on one body.
inline BlockRows random_rows(Random& random, const BodyMatrix& a, int groups) {
  BlockRows j;
  for (int g = 0; g < groups; ++g) {
    const int dim = 1 + random.index(3);
    const int first = random.index(a.blocks());
    const int second = g % 4 == 3 ? first : random.index(a.blocks());
    j.begin_group(dim);
    j.add(a, first, random.matrix(dim, a.size(first)));
    if (g % 3 != 0) j.add(a, second, random.matrix(dim, a.size(second)));
  }
  return j;
}

inline MatX dense(const CoupledBlocks& a) {
  MatX result = MatX::Zero(a.rows(), a.rows());
  for (int n = 0; n < a.nodes(); ++n) result.block(a.offset(n), a.offset(n), a.size(n), a.size(n)) = a.diagonal(n);
  for (const CoupledBlocks::Coupling& c : a.couplings()) {
    result.block(a.offset(c.row), a.offset(c.column), a.size(c.row), a.size(c.column)) = a.block(c);
    result.block(a.offset(c.column), a.offset(c.row), a.size(c.column), a.size(c.row)) = a.block(c).transpose();
  }
  return result;
}

inline MatX dense(const BodyMatrix& a) {
  MatX result = MatX::Zero(a.rows(), a.rows());
  for (int i = 0; i < a.blocks(); ++i) result.block(a.offset(i), a.offset(i), a.size(i), a.size(i)) = a.block(i);
  for (const BodyMatrix::Coupled& body : a.coupled_bodies()) {
    result.block(body.offset, body.offset, body.matrix->rows(), body.matrix->rows()) = dense(*body.matrix);
  }
  return result;
}

inline MatX dense(const BlockRows& j, int columns) {
  MatX result = MatX::Zero(j.rows(), columns);
  for (int g = 0; g < j.groups(); ++g) {
    for (const BlockRows::Entry& entry : j.entries(g)) {
      result.block(j.group(g).row, entry.column, j.group(g).dim, entry.size) += j.block(g, entry);
    }
  }
  return result;
}

}  // namespace cardhouse::testing
