#include "cardhouse/contact/polygonal_lcp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "cardhouse/contact/law_projection.h"
#include "cardhouse/contact/residual.h"
#include "contact/analytic_problems.h"
#include "contact/pyramid.h"

namespace cardhouse::testing {
namespace {

constexpr int kDiskSides = 16;
/// Root energies near 1 or below in all the problems: round-off.
constexpr double kTolerance = 1e-12;

std::vector<double> rho_of(const ContactProblem& problem) {
  Certifier certifier;
  certifier(problem, VecX::Zero(problem.rows()));
  return certifier.rho();
}

/// The error of y in the mixed problem: signed pairs and equations.
double mixed_error(const MixedLcp& mixed, const VecX& y) {
  const FreeElimination elimination(mixed);
  const VecX w = mixed.lcp.m * y + mixed.lcp.q;
  double error = lcp_error(elimination.reduced(), elimination.restrict_to_signed(y));
  for (int i : mixed.free) error = std::max(error, std::abs(w[i]));
  return error;
}

class PolygonalLcpOfAnalyticProblems : public ::testing::TestWithParam<NamedProblem> {};

TEST_P(PolygonalLcpOfAnalyticProblems, MapsImpulsesToUnknownsAndBack) {
  const auto& [problem, r] = GetParam().solved;
  const std::vector<double> rho = rho_of(problem);
  const PolygonalLcp lcp = polygonal_lcp(problem, rho, kDiskSides);
  EXPECT_EQ(lcp.mixed.lcp.size(), polygonal_lcp_size(problem, rho, kDiskSides));
  const VecX y = unknowns_of(problem, lcp, rho, kDiskSides, r);
  EXPECT_LE((impulses_of(lcp, y) - r).norm(), kTolerance * r.norm());
}

TEST_P(PolygonalLcpOfAnalyticProblems, IsSolvedByTheSolutionWhereFrictionIsNotRound) {
  const auto& [problem, r] = GetParam().solved;
  const std::vector<double> rho = rho_of(problem);
  for (const ContactProblem& form : {problem, with_explicit_delassus(problem)}) {
    const PolygonalLcp lcp = polygonal_lcp(form, rho, kDiskSides);
    const VecX y = unknowns_of(form, lcp, rho, kDiskSides, r);
    if (lcp.exact) {
      EXPECT_LE(mixed_error(lcp.mixed, y), kTolerance);
    } else {
      EXPECT_TRUE(has_round_friction(problem));
    }
  }
}

/// The products of the pairs are energies: Eq. 5.32 without its units would weigh contacts by their scale.
TEST_P(PolygonalLcpOfAnalyticProblems, HasTheGapOfEquation5_32) {
  const auto& [problem, r] = GetParam().solved;
  const std::vector<double> rho = rho_of(problem);
  const PolygonalLcp lcp = polygonal_lcp(problem, rho, kDiskSides);
  if (!lcp.mixed.free.empty() || lcp.offset.norm() > 0.0) return;
  Random random(4);
  const VecX y = random.vector(lcp.mixed.lcp.size()).cwiseAbs();
  const VecX impulses = impulses_of(lcp, y);
  VecX u, v;
  contact_velocity(problem, impulses, v, u);
  double expected = impulses.dot(u);
  for (int g = 0; g < problem.groups(); ++g) {  // + lambdaᵀ diag(mu) alpha
    const Law& law = problem.laws[g];
    const int normals = is_dependent(law) ? 0 : 1;
    const int leader = is_dependent(law) ? law.leader : g;
    const auto corners = friction_corners(law, problem.j.group(g).dim - normals, kDiskSides);
    if (corners.empty()) continue;
    double length = 0.0;
    for (const Vec2& corner : corners) length = std::max(length, corner.norm());
    const double lambda = y[lcp.first[g] + normals + static_cast<int>(corners.size())];
    expected += length * std::sqrt(rho[leader] / rho[g]) * y[lcp.first[leader]] * lambda;
  }
  EXPECT_NEAR(complementarity_gap(lcp.mixed.lcp, y), expected, 1e-11 * (1.0 + std::abs(expected)));
}

INSTANTIATE_TEST_SUITE_P(Analytic, PolygonalLcpOfAnalyticProblems, ::testing::ValuesIn(analytic_problems()),
                         [](const auto& test) { return test.param.name; });

TEST(FrictionCorners, AreThoseOfTheFrictionSet) {
  for (const Law& law : {polygonal(0.5, 8), polygonal(0.3, 4), coulomb(0.7), elliptic(0.6, 0.2)}) {
    const ConvexSet set = friction_set(law, 2, 1.0);
    const auto corners = friction_corners(law, 2, kDiskSides);
    EXPECT_EQ(static_cast<int>(corners.size()), law.friction == FrictionShape::polygon ? law.sides : kDiskSides);
    for (const Vec2& corner : corners) {
      // On the border: the projection leaves the corner alone and moves a point outside it.
      Vec2 projected;
      project(set, 2, corner.data(), projected.data());
      EXPECT_LE((projected - corner).norm(), 1e-12);
      const Vec2 outside = 1.01 * corner;
      project(set, 2, outside.data(), projected.data());
      EXPECT_GT((projected - outside).norm(), 1e-4);
    }
  }
  EXPECT_TRUE(friction_corners(coulomb(0.0), 2, kDiskSides).empty());
  EXPECT_TRUE(friction_corners(of_kind(Law::Kind::equality), 2, kDiskSides).empty());
  EXPECT_EQ(friction_corners(elliptic(0.5, 0.0), 2, kDiskSides), (std::vector<Vec2>{Vec2(0.5, 0), Vec2(-0.5, 0)}));
  EXPECT_EQ(friction_corners(coulomb(0.5), 1, kDiskSides), (std::vector<Vec2>{Vec2(0.5, 0), Vec2(-0.5, 0)}));
}

/// Anitescu & Potra 1997: the matrix of contacts is copositive, which is what lets Lemke's method find solutions.
TEST(PolygonalLcp, OfContactsIsCopositiveAndNotSemidefinite) {
  const ContactProblem problem = hexagonal_pyramid(0.5);
  const PolygonalLcp lcp = polygonal_lcp(problem, rho_of(problem), kDiskSides);
  const MatX& m = lcp.mixed.lcp.m;
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const VecX y = random.vector(static_cast<int>(m.rows())).cwiseAbs();
    EXPECT_GE(y.dot(m * y), 0.0);
  }
  VecX y = VecX::Zero(m.rows());
  y[lcp.first[0]] = 0.01;       // alpha
  y[lcp.first[1] - 1] = -10.0;  // lambda
  EXPECT_LT(y.dot(m * y), 0.0);
}

TEST(PolygonalLcp, LeavesOutRowsThatNothingMoves) {
  ContactProblem problem = box_stack(1, 1.0, polygonal(0.5)).problem;
  problem.j = changed_rows(problem, [](int g, MatX& block) {
    if (g == 2) block.setZero();
  });
  const PolygonalLcp lcp = polygonal_lcp(problem, rho_of(problem), kDiskSides);
  EXPECT_EQ(lcp.first[2], -1);
  EXPECT_EQ(lcp.mixed.lcp.size(), 3 * 10);
  EXPECT_EQ(impulses_of(lcp, VecX::Ones(30)).segment(6, 3), Vec3::Zero());
}

TEST(PolygonalLcp, TakesHalfBoundedRowsWithOnePairAndUnboundedOnesAsEquations) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const struct {
    Law law;
    int unknowns, free;
  } cases[] = {{bounded(-1, 2), 2, 0},
               {bounded(-1, infinity), 1, 0},
               {bounded(-infinity, 2), 1, 0},
               {bounded(-infinity, infinity), 1, 1},
               {of_kind(Law::Kind::equality), 1, 1}};
  for (const auto& c : cases) {
    const ContactProblem problem = particle_with(c.law, VecX::Zero(1), VecX::Zero(1)).problem;
    const PolygonalLcp lcp = polygonal_lcp(problem, rho_of(problem), kDiskSides);
    EXPECT_EQ(lcp.mixed.lcp.size(), c.unknowns);
    EXPECT_EQ(static_cast<int>(lcp.mixed.free.size()), c.free);
  }
}

/// Anitescu & Hart 2003, section 3: both solutions stand, their average does not, though its impulses obey the law.
TEST(PolygonalLcp, OfTheHexagonalPyramidHasASolutionSetThatIsNotConvex) {
  for (double mu : {0.01, 0.5}) {
    const ContactProblem problem = hexagonal_pyramid(mu);
    const std::vector<double> rho = rho_of(problem);
    const PolygonalLcp lcp = polygonal_lcp(problem, rho, kDiskSides);
    VecX solutions[2];
    for (int first : {0, 1}) {
      solutions[first] = unknowns_of(problem, lcp, rho, kDiskSides, on_three_corners(first));
      for (int corner = 1 - first; corner < 6; corner += 2) solutions[first][lcp.first[corner] + 9] = 1.0;  // lambda
      EXPECT_LE(lcp_error(lcp.mixed.lcp, solutions[first]), kTolerance);
      EXPECT_NEAR(complementarity_gap(lcp.mixed.lcp, solutions[first]), 0.0, kTolerance);
    }
    const VecX average = 0.5 * (solutions[0] + solutions[1]);
    const VecX w = lcp.mixed.lcp.m * average + lcp.mixed.lcp.q;
    EXPECT_GE(w.minCoeff(), -kTolerance) << "the average is feasible";
    EXPECT_GT(complementarity_gap(lcp.mixed.lcp, average), 1e-6) << "and not complementary";
    EXPECT_LE(certify(problem, impulses_of(lcp, average)).residual, kTolerance);
  }
}

}  // namespace
}  // namespace cardhouse::testing
