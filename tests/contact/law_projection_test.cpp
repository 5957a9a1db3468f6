#include "cardhouse/contact/law_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

constexpr double kProjectionRoundOff = 1e-15;

VecX projected(const Law& law, const VecX& z, double load = 0.0) {
  VecX p = VecX::Constant(z.size(), 1e300);
  project_on_law(law, static_cast<int>(z.size()), z.data(), load, p.data());
  return p;
}

TEST(LawProjection, OfAContactClampsTheNormalFirstAndFrictionToWhatItAllows) {
  EXPECT_LE((projected(coulomb(0.5), Vec3(2, 3, 4)) - Vec3(2, 0.6, 0.8)).norm(), kProjectionRoundOff);
  EXPECT_EQ(projected(coulomb(0.5), Vec3(2, 0.1, -0.2)), Vec3(2, 0.1, -0.2));
  EXPECT_EQ(projected(coulomb(0.5), Vec3(-2, 3, 4)), Vec3::Zero());
  EXPECT_EQ(projected(coulomb(0.0), Vec3(2, 3, 4)), Vec3(2, 0, 0));
}

TEST(LawProjection, OfAPlanarContactHasOneTangent) {
  EXPECT_EQ(projected(coulomb(0.5), Vec2(2, -7)), Vec2(2, -1));
  EXPECT_EQ(projected(coulomb(0.5), Vec2(-1, -7)), Vec2(0, 0));
  // In the plane ellipse and polygon are the same segment.
  EXPECT_EQ(projected(elliptic(0.5, 0.1), Vec2(2, -7)), Vec2(2, -1));
  EXPECT_EQ(projected(polygonal(0.5), Vec2(2, -7)), Vec2(2, -1));
}

TEST(LawProjection, OfAContactWithoutTangentsIsUnilateral) {
  EXPECT_EQ(projected(coulomb(0.5), VecX::Constant(1, -3.0))[0], 0.0);
  EXPECT_EQ(projected(coulomb(0.5), VecX::Constant(1, 3.0))[0], 3.0);
}

TEST(LawProjection, OfAnEllipseReachesItsAxes) {
  const Law law = elliptic(0.5, 0.1);
  EXPECT_LE((projected(law, Vec3(2, 9, 0)) - Vec3(2, 1.0, 0)).norm(), 1e-14);
  EXPECT_LE((projected(law, Vec3(2, 0, -9)) - Vec3(2, 0, -0.2)).norm(), 1e-14);
}

TEST(LawProjection, OfAnEllipseWithOneSlipperyDirectionIsASegment) {
  EXPECT_LE((projected(elliptic(0.5, 0.0), Vec3(2, 9, 5)) - Vec3(2, 1, 0)).norm(), kProjectionRoundOff);
  EXPECT_LE((projected(elliptic(0.0, 0.5), Vec3(2, 9, -5)) - Vec3(2, 0, -1)).norm(), kProjectionRoundOff);
}

TEST(LawProjection, OfAPolygonHasItsFirstVertexOnTheFirstTangent) {
  const Law law = polygonal(0.5, 8);
  EXPECT_LE((projected(law, Vec3(2, 9, 0)) - Vec3(2, 1, 0)).norm(), kProjectionRoundOff);
  const double angle = std::numbers::pi / 8.0;
  const Vec3 p = projected(law, Vec3(2, 9 * std::cos(angle), 9 * std::sin(angle)));
  EXPECT_NEAR(p.tail<2>().norm(), std::cos(angle), 1e-14);
}

TEST(LawProjection, OfJointRowsTakesEachRowByItself) {
  EXPECT_EQ(projected(of_kind(Law::Kind::equality), Vec3(1, -2, 3)), Vec3(1, -2, 3));
  EXPECT_EQ(projected(of_kind(Law::Kind::unilateral), Vec3(1, -2, 3)), Vec3(1, 0, 3));
  EXPECT_EQ(projected(bounded(-1, 2), Vec3(1, -2, 3)), Vec3(1, -1, 2));
}

TEST(LawProjection, SetsOfRowsWithBoundsActOnEachRowOfAGroup) {
  const Vec3 z(1, -2, 3);
  Vec3 p = Vec3::Constant(1e300);
  Mat3 derivative = Mat3::Constant(7.0);
  project(normal_set(bounded(-1, 2)), 3, z.data(), p.data(), derivative);
  EXPECT_EQ(p, Vec3(1, -1, 2));
  EXPECT_EQ(derivative, Mat3(Vec3(1, 0, 0).asDiagonal()));
}

TEST(LawProjection, OfADependentLawIsBoundedByItsLoad) {
  EXPECT_LE((projected(dependent(0.5, 0), Vec2(3, 4), 2.0) - Vec2(0.6, 0.8)).norm(), kProjectionRoundOff);
  EXPECT_EQ(projected(dependent(0.5, 0), Vec2(0.1, -0.2), 2.0), Vec2(0.1, -0.2));
  EXPECT_EQ(projected(dependent(0.5, 0), VecX::Constant(1, -7.0), 2.0)[0], -1.0);
  for (double load : {0.0, -1.0}) EXPECT_EQ(projected(dependent(0.5, 0), Vec2(3, 4), load), Vec2::Zero());
}

/// Central differences; samples at a kink are left out, and few are.
TEST(LawProjection, HasTheDerivativesThatItSays) {
  struct Case {
    Law law;
    int dim;
  };
  const Case cases[] = {{coulomb(0.6), 3},       {coulomb(0.6), 2},
                        {elliptic(0.3, 0.9), 3}, {polygonal(0.6), 3},
                        {dependent(0.6, 0), 2},  {dependent(0.6, 0), 1},
                        {bounded(-0.3, 0.4), 2}, {dependent(0.6, 0, FrictionShape::polygon), 2}};
  for (const Case& c : cases) {
    Random random(11);
    int smooth = 0;
    for (int trial = 0; trial < 200; ++trial) {
      SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(c.law.kind) << ", trial " << trial
                                        << ", seed 11");
      const VecX z = 2.0 * random.vector(c.dim);
      const double load = random.uniform(0.1, 2.0);
      VecX p(c.dim);
      Mat3 derivative;
      Vec3 by_load;
      project_on_law(c.law, c.dim, z.data(), load, p.data(), derivative, by_load);
      EXPECT_EQ(p, projected(c.law, z, load));
      const VecX dz = random.vector(c.dim);
      const double dload = random.uniform(-1.0, 1.0);
      constexpr double t = 1e-6;
      const VecX ahead = (projected(c.law, z + t * dz, load + t * dload) - p) / t;
      const VecX behind = (p - projected(c.law, z - t * dz, load - t * dload)) / t;
      // One-sided differences are off by t times second derivatives, which curved boundaries of size 0.1 make 10.
      if ((ahead - behind).norm() > 1e-4) continue;
      ++smooth;
      const VecX said = derivative.topLeftCorner(c.dim, c.dim) * dz + dload * by_load.head(c.dim);
      EXPECT_LE((0.5 * (ahead + behind) - said).norm(), 1e-6);
    }
    EXPECT_GE(smooth, 180);
  }
}

TEST(LawProjection, FrictionWithoutLoadIsNone) {
  for (const Law& law : {coulomb(0.5), elliptic(0.5, 0.2), polygonal(0.5)}) {
    for (double load : {0.0, -1.0}) EXPECT_EQ(friction_set(law, 2, load).kind, ConvexSet::Kind::origin);
  }
  EXPECT_EQ(friction_set(coulomb(0.0), 2, 1.0).kind, ConvexSet::Kind::origin);
}

TEST(LawProjection, NormalRowsAreTheFirstOfAContactAndAllOfAJoint) {
  EXPECT_EQ(normal_rows(coulomb(0.5), 3), 1);
  EXPECT_EQ(normal_rows(coulomb(0.5), 1), 1);
  EXPECT_EQ(normal_rows(of_kind(Law::Kind::equality), 3), 3);
  EXPECT_EQ(normal_rows(dependent(0.1, 0), 2), 0);
}

}  // namespace
}  // namespace cardhouse::testing
