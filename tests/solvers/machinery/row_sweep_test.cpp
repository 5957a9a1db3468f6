#include "cardhouse/solvers/machinery/row_sweep.h"

#include <gtest/gtest.h>

#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

class RowSweepOn : public ::testing::TestWithParam<unsigned> {
 protected:
  RowSweepOn() : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()), random_(GetParam()) {
    first_ = random_problem(random_, 5, 18);
    second_ = with_explicit_delassus(first_);
    MatX w = second_.delassus->w;  // not symmetric, and with rows of a group that differ in where they are zero
    w.array() *= 1.0 + 0.1 * random_.matrix(static_cast<int>(w.rows()), static_cast<int>(w.cols())).array();
    for (int i = 0; i < w.rows(); ++i) w(i, random_.index(static_cast<int>(w.cols()))) = 0.0;
    second_.delassus->w = w.sparseView();
  }

  ::testing::ScopedTrace trace_;
  Random random_;
  ContactProblem first_, second_;
};

/// Of sums of some ten terms of size 1.
constexpr double sweep_round_off = 1e-12;

TEST_P(RowSweepOn, GivesEachGroupTheVelocityOfTheWholeProblem) {
  for (const ContactProblem* problem : {&first_, &second_}) {
    RowSweep sweep;
    sweep.set_problem(*problem);
    VecX r = random_.vector(problem->rows());
    sweep.set_impulses(r);
    VecX v;
    VecX u;
    for (int change = 0; change < 50; ++change) {
      const int g = random_.index(problem->groups());
      const BlockRows::Group& rows = problem->j.group(g);
      r.segment(rows.row, rows.dim) = random_.vector(rows.dim);
      sweep.set_impulse(g, r.data() + rows.row);
      EXPECT_EQ(sweep.impulses(), r);
      contact_velocity(*problem, r, v, u);
      const int other = random_.index(problem->groups());
      const BlockRows::Group& others = problem->j.group(other);
      double now[3];
      sweep.velocity(other, now);
      for (int i = 0; i < others.dim; ++i) EXPECT_NEAR(now[i], u[others.row + i], sweep_round_off * (1.0 + u.norm()));
    }
  }
}

TEST_P(RowSweepOn, KnowsTheBlocksOfW) {
  for (const ContactProblem* problem : {&first_, &second_}) {
    RowSweep sweep;
    sweep.set_problem(*problem);
    ASSERT_EQ(sweep.groups(), problem->groups());
    for (int g = 0; g < problem->groups(); ++g) {
      EXPECT_EQ(sweep.dim(g), problem->j.group(g).dim);
      const Mat3 w = delassus_block(*problem, g);
      EXPECT_LE((sweep.contact(g).w() - w).norm(), sweep_round_off * (1.0 + w.norm()));
    }
  }
}

/// A deformable body: many velocities, all coupled, of which a contact sees those of a few nodes.
ContactProblem contacts_on_nodes(Random& random, int contacts) {
  constexpr int columns = 30;
  ProblemBuilder builder;
  for (int body = 0; body < 2; ++body) {
    const MatX root = random.matrix(columns, columns);
    builder.body(MatX::Identity(columns, columns) + 0.1 * root * root.transpose(), random.vector(columns));
  }
  for (int i = 0; i < contacts; ++i) {
    MatX one = MatX::Zero(3, columns);
    MatX other = MatX::Zero(3, columns);
    for (int node = 0; node < 2; ++node) one.middleCols(3 * random.index(10), 3) = random.matrix(3, 3);
    other.rightCols(3) = random.matrix(3, 3);
    builder.rows(coulomb(0.5), {{0, one}, {1, other}}, random.vector(3), 0.01);
  }
  return builder.problem;
}

TEST(RowSweepOnDeformableBodies, GivesEachGroupTheVelocityOfTheWholeProblem) {
  Random random(7);
  for (const int contacts : {1, 3, 60}) {  // W is formed of the first two, not of the last one
    const ContactProblem problem = contacts_on_nodes(random, contacts);
    RowSweep sweep;
    sweep.set_problem(problem);
    const VecX r = random.vector(problem.rows());
    sweep.set_impulses(VecX::Zero(problem.rows()));
    for (int g = 0; g < contacts; ++g) sweep.set_impulse(g, r.data() + problem.j.group(g).row);
    VecX v;
    VecX u;
    contact_velocity(problem, r, v, u);
    for (int g = 0; g < contacts; ++g) {
      double now[3];
      sweep.velocity(g, now);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(now[i], u[3 * g + i], sweep_round_off * (1.0 + u.norm()));
      const Mat3 w = delassus_block(problem, g);
      EXPECT_LE((sweep.contact(g).w() - w).norm(), sweep_round_off * (1.0 + w.norm()));
    }
  }
}

TEST_P(RowSweepOn, ForgetsTheProblemBefore) {
  RowSweep used;
  RowSweep fresh;
  used.set_problem(second_);
  used.set_impulses(random_.vector(second_.rows()));
  const VecX r = random_.vector(first_.rows());
  for (RowSweep* sweep : {&used, &fresh}) {
    sweep->set_problem(first_);
    sweep->set_impulses(r);
  }
  for (int g = 0; g < first_.groups(); ++g) {
    double one[3] = {};
    double other[3] = {};
    used.velocity(g, one);
    fresh.velocity(g, other);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(one[i], other[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RowSweepOn, ::testing::Range(1u, 6u));

}  // namespace
}  // namespace cardhouse::testing
