#include "cardhouse/contact/problem.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

constexpr double kRounding = 1e-13;  // sums of some dozen products of numbers near 1

class ContactProblemForms : public ::testing::TestWithParam<unsigned> {
 protected:
  ContactProblemForms()
      : trace_(__FILE__, __LINE__, ::testing::Message() << "seed " << GetParam()), random(GetParam()) {
    problem = random_problem(random, 5, 12);
    j = dense(problem.j, problem.a.rows());
    inverse = dense(problem.a).inverse();
    r = random.vector(problem.rows());
  }

 private:
  ::testing::ScopedTrace trace_;

 protected:
  Random random;
  ContactProblem problem;
  MatX j, inverse;
  VecX r;
};

TEST_P(ContactProblemForms, FreeVelocityIsThatOfTheDenseMatrices) {
  VecX q;
  free_velocity(problem, q);
  EXPECT_LE((q - (j * problem.v_free + problem.b)).norm(), kRounding * q.norm());
}

TEST_P(ContactProblemForms, VelocityFollowsFromTheImpulsesAsInTheDenseEquations) {
  VecX v;
  velocity_from_impulses(problem, r, v);
  const VecX momentum = dense(problem.a) * (v - problem.v_free) - j.transpose() * r;
  EXPECT_LE(momentum.norm(), 1e-12 * (1.0 + r.norm()));
}

TEST_P(ContactProblemForms, ContactVelocityIsThatOfTheDenseMatrices) {
  VecX v;
  VecX u;
  contact_velocity(problem, r, v, u);
  const VecX expected =
      j * (problem.v_free + inverse * j.transpose() * r) + problem.b + problem.compliance.cwiseProduct(r);
  EXPECT_LE((u - expected).norm(), 1e-12 * expected.norm());
}

TEST_P(ContactProblemForms, SecondFormGivesTheSameVelocitiesAndBlocks) {
  const ContactProblem second = with_explicit_delassus(problem);
  VecX v;
  VecX u_first;
  VecX u_second;
  VecX q_first;
  VecX q_second;
  contact_velocity(problem, r, v, u_first);
  contact_velocity(second, r, v, u_second);
  free_velocity(problem, q_first);
  free_velocity(second, q_second);
  EXPECT_LE((u_first - u_second).norm(), 1e-12 * u_first.norm());
  EXPECT_LE((q_first - q_second).norm(), 1e-12 * q_first.norm());
  for (int g = 0; g < problem.groups(); ++g) {
    const Mat3 first = delassus_block(problem, g);
    EXPECT_LE((first - delassus_block(second, g)).norm(), 1e-12 * first.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ContactProblemForms, ::testing::Range(1u, 6u));

TEST(ContactProblem, BuiltByHandHasRowsThatAreVelocitiesOfPoints) {
  // The fixtures' own geometry: the relative velocity at a contact point against the rigid-body formula.
  Random random(3);
  const Vec3 normal = random.direction();
  const Vec3 arm = random.vector(3);
  const Vec6 twist = random.vector(6);
  const Mat3 frame = frame_of(normal);
  EXPECT_LE((frame * frame.transpose() - Mat3::Identity()).norm(), 1e-14);
  EXPECT_NEAR(frame.determinant(), 1.0, 1e-14);
  const Vec3 expected = frame * (Vec3(twist.head<3>()) + Vec3(twist.tail<3>()).cross(arm));
  EXPECT_LE((ProblemBuilder::rigid_rows(frame, arm) * twist - expected).norm(), 1e-14);
}

TEST(ContactProblem, IsEmptyAfterClear) {
  Random random(4);
  ContactProblem problem = random_problem(random, 3, 6);
  problem.delassus = ExplicitDelassus{};
  problem.clear();
  EXPECT_EQ(problem.rows(), 0);
  EXPECT_EQ(problem.groups(), 0);
  EXPECT_EQ(problem.a.rows(), 0);
  EXPECT_EQ(problem.v_free.size() + problem.b.size() + problem.compliance.size(), 0);
  EXPECT_TRUE(problem.laws.empty());
  EXPECT_FALSE(problem.delassus);
}

TEST(ContactProblem, WithoutRowsMovesFreely) {
  ProblemBuilder builder;
  builder.rigid(1.0, 1.0, Vec3(1, 2, 3));
  VecX v;
  VecX u;
  contact_velocity(builder.problem, VecX(), v, u);
  EXPECT_EQ(v, builder.problem.v_free);
  EXPECT_EQ(u.size(), 0);
}

}  // namespace
}  // namespace cardhouse::testing
