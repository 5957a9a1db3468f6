#include "cardhouse/contact/natural_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "contact/analytic_problems.h"

namespace cardhouse::testing {
namespace {

/// Answers written down in double precision.
constexpr double kExact = 1e-14;

class NaturalMapOfAnalyticSolution : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(NaturalMapOfAnalyticSolution, IsZero) {
  const auto& [problem, r] = GetParam().solved;
  const NaturalMap map = natural_map_error(problem, r);
  EXPECT_LE(map.error, kExact);
  EXPECT_LE(map.scaled, kExact);
}

TEST_P(NaturalMapOfAnalyticSolution, NoticesAMillionthInTheNormalImpulse) {
  const auto& [problem, solution] = GetParam().solved;
  for (int g = 0; g < problem.groups(); ++g) {
    const BlockRows::Group& rows = problem.j.group(g);
    const double size = solution.segment(rows.row, rows.dim).norm();
    if (size == 0.0) continue;
    VecX r = solution;
    r[rows.row] += 1e-6 * size;
    EXPECT_GT(natural_map_error(problem, r).error, 1e-9 * size) << "group " << g;
  }
}

TEST_P(NaturalMapOfAnalyticSolution, IsTheSameForBothFormsOfTheProblem) {
  const auto& [problem, solution] = GetParam().solved;
  const VecX r = solution + 0.1 * VecX::LinSpaced(solution.size(), 0.0, 1.0);
  const NaturalMap first = natural_map_error(problem, r);
  const NaturalMap second = natural_map_error(with_explicit_delassus(problem), r);
  EXPECT_NEAR(first.scaled, second.scaled, 1e-12);
  EXPECT_NEAR(first.by_q, second.by_q, 1e-12 * (1.0 + first.by_q));
}

TEST_P(NaturalMapOfAnalyticSolution, IsTheSameWhenTheVelocitiesAreGiven) {
  const auto& [problem, solution] = GetParam().solved;
  const VecX r = 1.1 * solution;
  VecX q;
  VecX v;
  VecX u;
  free_velocity(problem, q);
  contact_velocity(problem, r, v, u);
  EXPECT_EQ(natural_map_error(problem, r, q, u).scaled, natural_map_error(problem, r).scaled);
}

INSTANTIATE_TEST_SUITE_P(Problems, NaturalMapOfAnalyticSolution, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& problem) { return problem.param.name; });

/// One contact with W = I, so that u = r + q.
ContactProblem one_contact(const Law& law, const VecX& q) {
  ContactProblem problem;
  problem.j.begin_group(static_cast<int>(q.size()));
  problem.laws = {law};
  SparseRows w(q.size(), q.size());
  w.setIdentity();
  problem.delassus = ExplicitDelassus{w, q};
  return problem;
}

TEST(NaturalMap, HasTheValueOfTheFormulaWhereThePointIsOutsideTheCone) {
  // r = (1, 0.2, 0), u = (0.5, 0.8, 0): x = r − u − mu ‖u_T‖ n = (0.1, −0.6, 0), outside K for mu = 0.5.
  const VecX r = Vec3(1.0, 0.2, 0.0);
  const VecX q = Vec3(-0.5, 0.6, 0.0);
  const NaturalMap map = natural_map_error(one_contact(coulomb(0.5), q), r);
  const double s = (0.1 + 0.5 * 0.6) / 1.25;
  const Vec3 projected(s, -0.5 * s, 0.0);
  const double error = (Vec3(1.0, 0.2, 0.0) - projected).norm();
  const double u = Vec3(0.5, 0.8, 0.0).norm();
  EXPECT_NEAR(map.error, error, kExact);
  EXPECT_NEAR(map.scaled, error / std::max({q.norm(), r.norm(), u}), kExact);
  EXPECT_NEAR(map.by_q, error / q.norm(), kExact);
}

TEST(NaturalMap, HasTheValueOfTheFormulaJustOutsideTheCone) {
  // u_T = 0, x = (1.5, −0.8, 0), and mu x_N = 0.75.
  const NaturalMap map = natural_map_error(one_contact(coulomb(0.5), Vec3(-1.5, 0.8, 0.0)), Vec3(1.5, -0.8, 0.0));
  const double s = (1.5 + 0.4) / 1.25;
  EXPECT_NEAR(map.error, Vec3(1.5 - s, -0.8 + 0.5 * s, 0.0).norm(), kExact);
}

TEST(NaturalMap, IsDividedByTheLargestOfTheThreeNorms) {
  const auto scaled = [](double q, double r) {
    return natural_map_error(one_contact(coulomb(0.5), Vec3(q, 0.0, 0.0)), Vec3(r, 0.0, 0.0)).scaled;
  };
  EXPECT_NEAR(scaled(1.0, 1.0), 1.0 / 2.0, kExact);   // u = 2
  EXPECT_NEAR(scaled(-1.0, 1.5), 0.5 / 1.5, kExact);  // u = 0.5
  EXPECT_NEAR(scaled(-2.0, 1.5), 0.5 / 2.0, kExact);  // u = −0.5
}

TEST(NaturalMap, OfAPointInThePolarConeIsTheImpulseItself) {
  const NaturalMap map = natural_map_error(one_contact(coulomb(0.5), Vec3(3.0, 0.0, 0.0)), Vec3(0.25, 0.0, 0.0));
  EXPECT_NEAR(map.error, 0.25, kExact);
}

TEST(NaturalMap, InThePlaneIsThatOfOneTangent) {
  const Vec3 q(-0.5, 0.6, 0.0);
  const Vec3 r(1.0, 0.2, 0.0);
  const NaturalMap planar = natural_map_error(one_contact(coulomb(0.5), q.head<2>()), r.head<2>());
  EXPECT_NEAR(planar.error, natural_map_error(one_contact(coulomb(0.5), q), r).error, kExact);
  // One tangent leaves nothing to an ellipse or a polygon.
  EXPECT_EQ(natural_map_error(one_contact(polygonal(0.5), q.head<2>()), r.head<2>()).error, planar.error);
}

TEST(NaturalMap, OfOtherRowsIsThatOfTheirLaw) {
  const auto error = [](const Law& law, double q, double r) {
    return natural_map_error(one_contact(law, VecX::Constant(1, q)), VecX::Constant(1, r)).error;
  };
  EXPECT_NEAR(error(of_kind(Law::Kind::equality), 0.5, -0.2), 0.3, kExact);
  EXPECT_NEAR(error(of_kind(Law::Kind::unilateral), -0.5, 0.2), 0.3, kExact);  // u = −0.3
  EXPECT_NEAR(error(of_kind(Law::Kind::unilateral), 0.5, 0.2), 0.2, kExact);   // separates, yet pushes
  EXPECT_NEAR(error(bounded(-1.0, 0.25), -5.0, 0.2), 0.05, kExact);            // r − u = 5 is held at 0.25
  EXPECT_NEAR(error(bounded(-1.0, 0.25), -5.0, 0.25), 0.0, kExact);
}

TEST(NaturalMap, OfAnEllipseIsTheLawsOwn) {
  // r − u = (0.5, −0.6, 0): the normal part stays, the tangential part goes to the ellipse of half-axes 0.15 and 0.4.
  const NaturalMap map = natural_map_error(one_contact(elliptic(0.3, 0.8), Vec3(-0.5, 0.6, 0.0)), Vec3(1.0, 0.2, 0.0));
  EXPECT_NEAR(map.error, Vec3(0.5, 0.35, 0.0).norm(), 1e-12);
}

TEST(NaturalMap, IsNotDividedByAScaleThatIsNothing) {
  const VecX q = Vec3(-1e-18, 0.0, 0.0);
  const VecX r = Vec3(1e-17, 0.0, 0.0);
  const NaturalMap map = natural_map_error(one_contact(coulomb(0.5), q), r);
  EXPECT_GT(map.error, 0.0);
  EXPECT_EQ(map.scaled, map.error);
  EXPECT_EQ(map.by_q, map.error);
  const NaturalMap large = natural_map_error(one_contact(coulomb(0.5), q), Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(large.scaled, large.error);  // ‖r‖ = ‖u‖ = 1
  EXPECT_EQ(large.by_q, large.error);
}

TEST(NaturalMap, OfNaNIsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_infinite = [](const ContactProblem& problem, const VecX& r) {
    const NaturalMap map = natural_map_error(problem, r);
    EXPECT_TRUE(std::isinf(map.error) && std::isinf(map.scaled) && std::isinf(map.by_q));
  };
  const VecX q = Vec3(1.0, 0.0, 0.0);
  for (int i = 0; i < 3; ++i) {
    VecX bad = q;
    bad[i] = nan;
    expect_infinite(one_contact(coulomb(0.5), bad), Vec3::Zero());
    expect_infinite(one_contact(polygonal(0.5), bad), Vec3::Zero());
    expect_infinite(one_contact(coulomb(0.5), q), bad);
  }
  expect_infinite(one_contact(coulomb(nan), q), Vec3::Zero());
  expect_infinite(one_contact(polygonal(nan), q), Vec3::Zero());
  expect_infinite(one_contact(elliptic(0.5, nan), q), Vec3::Zero());
  expect_infinite(one_contact(bounded(nan, 1.0), VecX::Zero(1)), VecX::Zero(1));
  expect_infinite(one_contact(of_kind(Law::Kind::unilateral), VecX::Constant(1, nan)), VecX::Zero(1));
  expect_infinite(one_contact(bounded(-1.0, 1.0), VecX::Constant(1, nan)), VecX::Zero(1));
}

TEST(NaturalMap, OfNothingIsZero) {
  const NaturalMap map = natural_map_error(ContactProblem(), VecX());
  EXPECT_EQ(map.error, 0.0);
  EXPECT_EQ(map.scaled, 0.0);
}

}  // namespace
}  // namespace cardhouse::testing
