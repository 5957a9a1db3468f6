#include "cardhouse/io/problem_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "cardhouse/base/error.h"
#include "cardhouse/math/decompositions.h"
#include "cardhouse/math/union_find.h"

namespace cardhouse {
namespace {

using Triplet = Eigen::Triplet<double, int>;

/// A is kept in dense blocks: one of this size takes 1.6 GB with its inverse and minutes to factor.
constexpr int largest_block = 10000;

void require(bool good, const std::string& name, const std::string& what) {
  if (!good) throw InputError(name + ": " + what);
}

void require_size(const std::string& name, const char* what, Eigen::Index size, Eigen::Index expected) {
  require(size == expected, name, fmt::format("{} has {} numbers where the problem needs {}", what, size, expected));
}

void require_size(const std::string& name, const char* what, const SparseRows& matrix, Eigen::Index rows,
                  Eigen::Index columns) {
  require(
      matrix.rows() == rows && matrix.cols() == columns, name,
      fmt::format("{} is {} × {} where the problem needs {} × {}", what, matrix.rows(), matrix.cols(), rows, columns));
}

void check_contacts(const std::string& name, int dimension, const VecX& mu) {
  require(dimension == 2 || dimension == 3, name,
          fmt::format("the space's dimension is {}; it must be 2 or 3", dimension));
  for (Eigen::Index i = 0; i < mu.size(); ++i) {
    require(!(mu[i] < 0.0), name,
            fmt::format("contact {} has a coefficient of friction of {}; it must be ≥ 0", i, mu[i]));
  }
}

void add_laws(const VecX& mu, Eigen::Index bilateral, std::vector<Law>& laws) {
  for (const double each : mu) {
    Law law;
    law.mu = law.mu_cross = each;
    laws.push_back(law);
  }
  Law equality;
  equality.kind = Law::Kind::equality;
  laws.insert(laws.end(), static_cast<std::size_t>(bilateral), equality);
}

VecX joined(const VecX& first, const VecX& second) {
  VecX result(first.size() + second.size());
  result.head(first.size()) = first;
  result.tail(second.size()) = second;
  return result;
}

void add_triplets(const SparseRows& matrix, int row, int column, bool transposed, std::vector<Triplet>& triplets) {
  for (int i = 0; i < matrix.outerSize(); ++i) {
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
      const int k = static_cast<int>(it.col());
      triplets.emplace_back(row + (transposed ? k : i), column + (transposed ? i : k), it.value());
    }
  }
}

/// [W V; Vᵀ R].
SparseRows with_bilateral_rows(const LocalParts& parts) {
  const int n = static_cast<int>(parts.w.rows());
  const int all = n + static_cast<int>(parts.s.size());
  std::vector<Triplet> triplets;
  add_triplets(parts.w, 0, 0, false, triplets);
  add_triplets(*parts.v, 0, n, false, triplets);
  add_triplets(*parts.v, n, 0, true, triplets);
  add_triplets(*parts.r, n, n, false, triplets);
  SparseRows result(all, all);
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

/// M with its other triangle, where only one is given.
SparseRows without_missing_triangle(const SparseRows& m) {
  bool above = false;
  bool below = false;
  for (int i = 0; i < m.outerSize(); ++i) {
    for (SparseRows::InnerIterator it(m, i); it; ++it) {
      if (it.value() == 0.0) continue;
      above = above || it.col() > i;
      below = below || it.col() < i;
    }
  }
  if (above == below) return m;
  std::vector<Triplet> triplets;
  for (int i = 0; i < m.outerSize(); ++i) {
    for (SparseRows::InnerIterator it(m, i); it; ++it) {
      const int k = static_cast<int>(it.col());
      if (it.value() == 0.0 && k != i) continue;
      triplets.emplace_back(i, k, it.value());
      if (k != i) triplets.emplace_back(k, i, it.value());
    }
  }
  SparseRows result(m.rows(), m.cols());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

bool is_diagonal(const SparseRows& m) {
  for (int i = 0; i < m.outerSize(); ++i) {
    for (SparseRows::InnerIterator it(m, i); it; ++it) {
      if (it.col() != i && it.value() != 0.0) return false;
    }
  }
  return true;
}

/// The number of velocities of a rigid body: 6 in space, 3 in the plane. 0 unless M looks like rigid bodies only:
/// diagonal, with one mass for all translations of a body. Whole bodies make fewer, larger blocks; the mechanics is the
/// same.
int rigid_body_size(const SparseRows& m, int dimension) {
  const int size = dimension == 3 ? 6 : 3;
  if (m.rows() % size != 0 || !is_diagonal(m)) return 0;
  const VecX mass = m.diagonal();
  for (Eigen::Index body = 0; body < m.rows(); body += size) {
    for (int axis = 1; axis < dimension; ++axis) {
      if (mass[body + axis] != mass[body]) return 0;
    }
  }
  return size;
}

/// Which velocities share a block.
std::vector<std::vector<int>> find_blocks(const SparseRows& m, int dimension) {
  const int n = static_cast<int>(m.rows());
  UnionFind connected;
  connected.reset(n);
  if (const int size = rigid_body_size(m, dimension); size > 0) {
    for (int i = 0; i < n; ++i) connected.unite(i, i - i % size);
  }
  for (int i = 0; i < n; ++i) {
    for (SparseRows::InnerIterator it(m, i); it; ++it) {
      if (it.value() != 0.0) connected.unite(i, static_cast<int>(it.col()));
    }
  }
  std::vector<std::vector<int>> blocks;
  std::vector<int> block_of(n, -1);
  for (int i = 0; i < n; ++i) {
    int& block = block_of[connected.find(i)];
    if (block < 0) {
      block = static_cast<int>(blocks.size());
      blocks.emplace_back();
    }
    blocks[block].push_back(i);
  }
  return blocks;
}

/// Adds one block to A and its part of M⁻¹ f to v_free.
void add_block(const MatX& block, const VecX& f, int first_dof, const std::string& name, ContactProblem& problem) {
  const Eigen::Index n = block.rows();
  const int offset = problem.a.rows();
  if (block.hasNaN()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    problem.a.add(block, MatX::Constant(n, n, nan));
    problem.v_free.segment(offset, n).setConstant(nan);
    return;
  }
  const Cholesky factor(0.5 * (block + block.transpose()));
  require(factor.succeeded(), name,
          fmt::format("M is not positive definite in the block of velocity {} ({} of them)", first_dof, n));
  if (block == block.transpose()) {
    problem.a.add(block, factor.inverse());
    problem.v_free.segment(offset, n) = factor.solve(f);
    return;
  }
  problem.a.add(block, general_inverse(block));
  problem.v_free.segment(offset, n) = solve_general(block, f);
}

/// The place of each velocity of the file among the blocks of A.
struct Placement {
  std::vector<int> block;
  std::vector<int> index;  ///< within the block
};

Placement build_mass(const GlobalParts& parts, const std::string& name, ContactProblem& problem) {
  const SparseRows m = without_missing_triangle(parts.m);
  const std::vector<std::vector<int>> blocks = find_blocks(m, parts.dimension);
  Placement place;
  place.block.resize(static_cast<std::size_t>(m.rows()));
  place.index.resize(place.block.size());
  problem.v_free.resize(m.rows());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::vector<int>& dofs = blocks[b];
    require(dofs.size() <= largest_block, name,
            fmt::format("M couples {} velocities with each other; blocks up to {} can be used", dofs.size(),
                        largest_block));
    const int n = static_cast<int>(dofs.size());
    for (int i = 0; i < n; ++i) {
      place.block[dofs[i]] = static_cast<int>(b);
      place.index[dofs[i]] = i;
    }
    MatX block = MatX::Zero(n, n);
    VecX f(n);
    for (int i = 0; i < n; ++i) {
      f[i] = parts.f[dofs[i]];
      for (SparseRows::InnerIterator it(m, dofs[i]); it; ++it) {
        if (it.value() != 0.0) block(i, place.index[it.col()]) = it.value();
      }
    }
    add_block(block, f, dofs[0], name, problem);
  }
  return place;
}

/// Adds the columns first … first + dim − 1 of H, as rows of J.
void add_group(const SparseRows& columns, int first, int dim, const Placement& place, ContactProblem& problem) {
  std::map<int, MatX> entries;
  for (int i = 0; i < dim; ++i) {
    for (SparseRows::InnerIterator it(columns, first + i); it; ++it) {
      const int block = place.block[it.col()];
      const auto [entry, is_new] = entries.try_emplace(block);
      if (is_new) entry->second = MatX::Zero(dim, problem.a.size(block));
      entry->second(i, place.index[it.col()]) = it.value();
    }
  }
  problem.j.begin_group(dim);
  for (const auto& [block, value] : entries) problem.j.add(problem.a, block, value);
}

}  // namespace

ContactProblem assemble_problem(LocalParts parts, const std::string& name) {
  check_contacts(name, parts.dimension, parts.mu);
  const Eigen::Index contacts = parts.mu.size();
  const Eigen::Index n = parts.dimension * contacts;
  require_size(name, "W", parts.w, n, n);
  require_size(name, "q", parts.q.size(), n);
  require(parts.v.has_value() == parts.r.has_value(), name, "V and R must be given together");
  if (parts.v) {
    require_size(name, "V", *parts.v, n, parts.s.size());
    require_size(name, "R", *parts.r, parts.s.size(), parts.s.size());
  }
  ContactProblem problem;
  ExplicitDelassus& delassus = problem.delassus.emplace();
  for (Eigen::Index i = 0; i < contacts; ++i) problem.j.begin_group(parts.dimension);
  for (Eigen::Index i = 0; i < parts.s.size(); ++i) problem.j.begin_group(1);
  add_laws(parts.mu, parts.s.size(), problem.laws);
  if (parts.v) parts.w = with_bilateral_rows(parts);
  delassus.w.swap(parts.w);
  delassus.q = joined(parts.q, parts.s);
  return problem;
}

ContactProblem assemble_problem(GlobalParts parts, const std::string& name) {
  check_contacts(name, parts.dimension, parts.mu);
  const int contacts = static_cast<int>(parts.mu.size());
  const Eigen::Index dofs = parts.m.rows();
  const Eigen::Index n = parts.dimension * parts.mu.size();
  require_size(name, "M", parts.m, dofs, dofs);
  require_size(name, "H", parts.h, dofs, n);
  require_size(name, "f", parts.f.size(), dofs);
  require_size(name, "w", parts.w.size(), n);
  if (parts.g) require_size(name, "G", *parts.g, dofs, parts.b.size());

  ContactProblem problem;
  const Placement place = build_mass(parts, name, problem);
  const SparseRows contact_rows = parts.h.transpose();
  for (int i = 0; i < contacts; ++i) add_group(contact_rows, i * parts.dimension, parts.dimension, place, problem);
  if (parts.g) {
    const SparseRows bilateral_rows = parts.g->transpose();
    for (int i = 0; i < bilateral_rows.rows(); ++i) add_group(bilateral_rows, i, 1, place, problem);
  }
  add_laws(parts.mu, parts.b.size(), problem.laws);
  problem.b = joined(parts.w, parts.b);
  problem.compliance.setZero(problem.b.size());
  return problem;
}

}  // namespace cardhouse
