#include "cardhouse/math/block_rows.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

// Sums of at most 18 products of numbers near 1, and well conditioned blocks.
constexpr double kRowsTolerance = 1e-13;

class BlockRowsMatrix : public ::testing::TestWithParam<unsigned> {
 protected:
  BlockRowsMatrix() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()), random(GetParam()) {
    a = random_blocks(random, {6, 3, 1, 2, 6, 3, 8});
    j = random_rows(random, a, 15);
  }

 private:
  ::testing::ScopedTrace trace_;

 protected:
  Random random;
  BodyMatrix a;
  BlockRows j;
};

TEST_P(BlockRowsMatrix, MultipliesAsItsDenseTwin) {
  const VecX v = random.vector(a.rows());
  VecX u;
  j.multiply(v, u);
  const VecX expected = dense(j, a.rows()) * v;
  EXPECT_LE((u - expected).norm(), kRowsTolerance * expected.norm());
}

TEST_P(BlockRowsMatrix, AddsItsTransposeToWhatIsThere) {
  const VecX r = random.vector(j.rows());
  const VecX before = random.vector(a.rows());
  VecX x = before;
  j.add_transposed(r, x);
  const VecX expected = before + dense(j, a.rows()).transpose() * r;
  EXPECT_LE((x - expected).norm(), kRowsTolerance * expected.norm());
}

TEST_P(BlockRowsMatrix, GivesOneGroupsShareAlone) {
  const VecX v = random.vector(a.rows());
  const MatX whole = dense(j, a.rows());
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    double u[3] = {9.0, 9.0, 9.0};
    j.multiply_group(g, v, u);
    const VecX expected = whole.middleRows(rows.row, rows.dim) * v;
    EXPECT_LE((Eigen::Map<VecX>(u, rows.dim) - expected).norm(), kRowsTolerance * (1.0 + expected.norm()));
    for (int i = rows.dim; i < 3; ++i) EXPECT_EQ(u[i], 9.0);
    const VecX r = random.vector(rows.dim);
    VecX x = VecX::Zero(a.rows());
    j.add_transposed_group(g, r.data(), x);
    EXPECT_LE((x - whole.middleRows(rows.row, rows.dim).transpose() * r).norm(), kRowsTolerance * x.norm());
  }
}

TEST_P(BlockRowsMatrix, HasTheDiagonalBlocksOfTheDelassusMatrix) {
  const MatX whole = dense(j, a.rows());
  const MatX w = whole * dense(a).partialPivLu().solve(MatX(whole.transpose()));
  for (int g = 0; g < j.groups(); ++g) {
    const BlockRows::Group& rows = j.group(g);
    const MatX expected = w.block(rows.row, rows.row, rows.dim, rows.dim);
    const Mat3 actual = j.delassus_block(g, a);
    EXPECT_LE((actual.topLeftCorner(rows.dim, rows.dim) - expected).norm(), 10.0 * kRowsTolerance * expected.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlockRowsMatrix, ::testing::Range(1u, 6u));

TEST(BlockRows, OfTwoSidesThatMoveAlikeOnOneBodyCancel) {
  Random random(11);
  const BodyMatrix a = random_blocks(random, {6});
  const MatX side = random.matrix(3, 6);
  BlockRows j;
  j.begin_group(3);
  j.add(a, 0, side);
  j.add(a, 0, -side);
  VecX u;
  j.multiply(random.vector(6), u);
  EXPECT_LE(u.norm(), kRowsTolerance);
  EXPECT_LE(j.delassus_block(0, a).norm(), kRowsTolerance);
}

TEST(BlockRows, OfAGroupWithoutBodiesAreZero) {
  Random random(12);
  const BodyMatrix a = random_blocks(random, {3});
  BlockRows j;
  j.begin_group(2);
  j.begin_group(1);
  j.add(a, 0, random.matrix(1, 3));
  VecX u;
  j.multiply(random.vector(3), u);
  EXPECT_EQ(u.size(), 3);
  EXPECT_EQ(u.head(2).norm(), 0.0);
  EXPECT_NE(u[2], 0.0);
  EXPECT_EQ(j.delassus_block(0, a).norm(), 0.0);
  EXPECT_EQ(j.entries(0).size(), 0u);
}

TEST(BlockRows, AreEmptyAfterClear) {
  Random random(13);
  const BodyMatrix a = random_blocks(random, {3, 6});
  BlockRows j = random_rows(random, a, 5);
  j.clear();
  EXPECT_EQ(j.rows(), 0);
  EXPECT_EQ(j.groups(), 0);
  VecX u;
  j.multiply(random.vector(9), u);
  EXPECT_EQ(u.size(), 0);
}

}  // namespace
}  // namespace cardhouse::testing
