#include "cardhouse/solvers/machinery/row_system.h"

#include <gtest/gtest.h>

#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

class RowSystemSolve : public ::testing::TestWithParam<unsigned> {};

/// Both forms of one problem, with compliance and dependent laws among the rows, against (I + Θ W) x = y itself.
TEST_P(RowSystemSolve, HoldsInBothFormsOfTheProblem) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  const ContactProblem first = random_problem_with_rolling(random, 7, 15);
  ASSERT_TRUE(has_sound_leaders(first));
  const ContactProblem second = with_explicit_delassus(first);
  std::vector<Mat3> theta(static_cast<std::size_t>(first.groups()), Mat3::Zero());
  std::vector<Mat3> cross = theta;
  MatX dense_theta = MatX::Zero(first.rows(), first.rows());
  for (int g = 0; g < first.groups(); ++g) {
    const BlockRows::Group& rows = first.j.group(g);
    theta[g].topLeftCorner(rows.dim, rows.dim) =
        random.positive_definite(rows.dim) + 0.3 * random.matrix(rows.dim, rows.dim);
    dense_theta.block(rows.row, rows.row, rows.dim, rows.dim) = theta[g].topLeftCorner(rows.dim, rows.dim);
    if (!is_dependent(first.laws[g])) continue;
    const BlockRows::Group& leading = first.j.group(first.laws[g].leader);
    cross[g].topLeftCorner(rows.dim, leading.dim) = random.matrix(rows.dim, leading.dim);
    dense_theta.block(rows.row, leading.row, rows.dim, leading.dim) = cross[g].topLeftCorner(rows.dim, leading.dim);
  }
  const VecX y = random.vector(first.rows());
  const MatX w = second.delassus->w;
  const MatX system = MatX::Identity(first.rows(), first.rows()) + dense_theta * w;
  for (const ContactProblem* problem : {&first, &second}) {
    RowSystem rows;
    rows.set_problem(*problem);
    ASSERT_TRUE(rows.factorise(theta, cross));
    VecX x;
    rows.solve(y, x);
    EXPECT_LE((system * x - y).norm(), 1e-9 * (system.norm() * x.norm() + y.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RowSystemSolve, ::testing::Range(1u, 11u));

}  // namespace
}  // namespace cardhouse::testing
