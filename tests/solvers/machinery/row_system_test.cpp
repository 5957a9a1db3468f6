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

/// Few rows on bodies with many nodes are condensed to W; that is the elimination to the nodes, by another way.
TEST_P(RowSystemSolve, CondensedBodiesAreThoseThatAreEliminatedToTheirNodes) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Random random(GetParam());
  ContactProblem problem;
  problem.a.add(random_coupled_body(random, 40));
  problem.a.add(random.positive_definite(6));
  problem.j = random_rows(random, problem.a, 8);
  problem.laws.assign(8, Law{});
  problem.compliance.setZero(problem.j.rows());
  problem.v_free.setZero(problem.a.rows());
  problem.b.setZero(problem.j.rows());
  ASSERT_LE(problem.rows(), 30) << "else it is not condensed";
  std::vector<Mat3> theta(8, Mat3::Zero());
  for (int g = 0; g < 8; ++g) {
    const int dim = problem.j.group(g).dim;
    theta[g].topLeftCorner(dim, dim) = random.positive_definite(dim) + 0.3 * random.matrix(dim, dim);
  }
  const VecX y = random.vector(problem.rows());
  RowSystem condensed;
  condensed.set_problem(problem);
  ASSERT_TRUE(condensed.factorise(theta));
  VecX x;
  condensed.solve(y, x);
  BodyGraphFactor nodes;
  nodes.analyse(problem.a, problem.j);
  ASSERT_TRUE(nodes.factorise(problem.a, problem.j, theta, BodyGraphFactor::Form::general));
  VecX on_bodies = VecX::Zero(problem.a.rows());
  problem.j.add_transposed(y, on_bodies);
  VecX moved;
  nodes.solve(on_bodies, moved);
  VecX rows;
  problem.j.multiply(moved, rows);
  VecX expected = y;
  for (int g = 0; g < 8; ++g) {
    const BlockRows::Group& own = problem.j.group(g);
    expected.segment(own.row, own.dim) -= theta[g].topLeftCorner(own.dim, own.dim) * rows.segment(own.row, own.dim);
  }
  EXPECT_LE((x - expected).norm(), 1e-10 * expected.norm());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RowSystemSolve, ::testing::Range(1u, 11u));

}  // namespace
}  // namespace cardhouse::testing
