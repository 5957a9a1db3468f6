#include "cardhouse/math/decompositions.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <utility>

namespace cardhouse {
namespace {

TEST(Decompositions, SingularValuesAreThoseOfAnIndependentMethod) {
  for (const auto& [rows, columns] : {std::pair{7, 4}, {4, 7}, {5, 5}, {1, 3}}) {
    const MatX matrix = MatX::Random(rows, columns);
    const VecX expected = Eigen::JacobiSVD<MatX>(matrix).singularValues();
    // Both are exact to some units of round-off of the largest.
    EXPECT_LE((singular_values(matrix) - expected).norm(), 1e-14 * expected[0]) << rows << " x " << columns;
  }
}

TEST(Decompositions, SingularValuesOfADeficientMatrixEndInRoundOff) {
  const VecX values = singular_values(MatX::Ones(4, 3));
  EXPECT_NEAR(values[0], std::sqrt(12.0), 1e-14);
  EXPECT_LE(values[1], 1e-14);
  EXPECT_GE(values[2], 0.0);
}

TEST(Decompositions, AColumnSpaceIsOrthonormalAndHoldsTheColumns) {
  MatX columns = MatX::Random(6, 4);
  columns.col(3) = columns.col(0) - 2.0 * columns.col(2);
  const MatX basis = column_space(columns, 1e-9);
  ASSERT_EQ(basis.cols(), 3);
  EXPECT_LE((basis.transpose() * basis - MatX::Identity(3, 3)).norm(), 1e-14);
  EXPECT_LE((basis * (basis.transpose() * columns) - columns).norm(), 1e-14 * columns.norm());
}

TEST(Decompositions, AColumnSpaceOfNothingHasNoDirections) {
  EXPECT_EQ(column_space(MatX(5, 0), 1e-9).cols(), 0);
  EXPECT_EQ(column_space(MatX::Zero(5, 2), 1e-9).cols(), 0);
}

}  // namespace
}  // namespace cardhouse
