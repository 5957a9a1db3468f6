#include "cardhouse/contact/law_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

constexpr double kRoundOff = 1e-15;

VecX projected(const Law& law, const VecX& z) {
  VecX p = VecX::Constant(z.size(), 1e300);
  project_on_law(law, static_cast<int>(z.size()), z.data(), p.data());
  return p;
}

TEST(LawProjection, OfAContactClampsTheNormalFirstAndFrictionToWhatItAllows) {
  EXPECT_LE((projected(coulomb(0.5), Vec3(2, 3, 4)) - Vec3(2, 0.6, 0.8)).norm(), kRoundOff);
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
  EXPECT_LE((projected(elliptic(0.5, 0.0), Vec3(2, 9, 5)) - Vec3(2, 1, 0)).norm(), kRoundOff);
  EXPECT_LE((projected(elliptic(0.0, 0.5), Vec3(2, 9, -5)) - Vec3(2, 0, -1)).norm(), kRoundOff);
}

TEST(LawProjection, OfAPolygonHasItsFirstVertexOnTheFirstTangent) {
  const Law law = polygonal(0.5, 8);
  EXPECT_LE((projected(law, Vec3(2, 9, 0)) - Vec3(2, 1, 0)).norm(), kRoundOff);
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
}

}  // namespace
}  // namespace cardhouse::testing
