#include "cardhouse/optimization/row_lu.h"

#include <gtest/gtest.h>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

/// Rows in groups of 1, 2 and 3, without entries.
BlockRows groups_of(int count) {
  BlockRows groups;
  for (int g = 0; g < count; ++g) groups.begin_group(1 + g % 3);
  return groups;
}

/// Sparse, not symmetric, with rows that are empty.
SparseRows random_w(Random& random, int rows) {
  MatX dense = MatX::Zero(rows, rows);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; i % 7 != 3 && k < rows; ++k) {
      if (random.uniform(0.0, 1.0) < 0.3) dense(i, k) = random.uniform(-1.0, 1.0);
    }
  }
  return dense.sparseView();
}

std::vector<Mat3> random_theta(Random& random, const BlockRows& groups) {
  std::vector<Mat3> theta(groups.groups(), Mat3::Zero());
  for (int g = 0; g < groups.groups(); ++g) {
    if (g % 4 == 1) continue;  // an open contact
    const int dim = groups.group(g).dim;
    theta[g].topLeftCorner(dim, dim) = random.matrix(dim, dim);
  }
  return theta;
}

MatX dense_system(const SparseRows& w, const BlockRows& groups, const std::vector<Mat3>& theta) {
  MatX block = MatX::Zero(w.rows(), w.rows());
  for (int g = 0; g < groups.groups(); ++g) {
    const BlockRows::Group& rows = groups.group(g);
    block.block(rows.row, rows.row, rows.dim, rows.dim) = theta[g].topLeftCorner(rows.dim, rows.dim);
  }
  return MatX::Identity(w.rows(), w.rows()) + block * MatX(w);
}

TEST(RowLu, SolvesWithSeveralThetasOverOneMatrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const BlockRows groups = groups_of(3 + static_cast<int>(seed));
    const SparseRows w = random_w(random, groups.rows());
    RowLu lu;
    lu.set_matrix(w, groups);
    for (int i = 0; i < 3; ++i) {
      const std::vector<Mat3> theta = random_theta(random, groups);
      ASSERT_TRUE(lu.factorise(theta));
      const VecX y = random.vector(groups.rows());
      VecX x;
      lu.solve(y, x);
      // Random systems of this size have condition numbers up to 1e4.
      EXPECT_LE((dense_system(w, groups, theta) * x - y).norm(), 1e-11 * (1.0 + x.norm()));
    }
  }
}

TEST(RowLu, SaysThatASingularSystemIsOne) {
  const BlockRows groups = groups_of(1);
  MatX minus_one(1, 1);
  minus_one(0, 0) = -1.0;
  const SparseRows w = minus_one.sparseView();
  RowLu lu;
  lu.set_matrix(w, groups);
  const std::vector<Mat3> theta(1, Mat3::Identity());
  EXPECT_FALSE(lu.factorise(theta));
}

TEST(RowLu, OfNoRowsHasNothingToDo) {
  const BlockRows groups;
  const SparseRows w(0, 0);
  RowLu lu;
  lu.set_matrix(w, groups);
  EXPECT_TRUE(lu.factorise({}));
  VecX x = VecX::Ones(1);
  lu.solve(VecX(), x);
  EXPECT_EQ(x.size(), 0);
}

}  // namespace
}  // namespace cardhouse::testing
