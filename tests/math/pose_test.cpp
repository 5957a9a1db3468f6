#include "cardhouse/math/pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "math/random_matrices.h"

namespace cardhouse::testing {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRoundOff = 1e-15;  // a few operations on numbers near 1

TEST(Rotation, ReturnsToItsVectorForAnglesFromTinyToNearlyPi) {
  constexpr unsigned seed = 1;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  for (double angle : {1e-300, 1e-160, 1e-20, 1e-9, 9.99e-5, 1.001e-4, 1e-2, 1.0, 3.0, kPi - 1e-6}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 rotation = angle * random.direction();
      const Vec3 back = vector_from_rotation(rotation_from_vector(rotation));
      EXPECT_LE((back - rotation).norm(), 8.0 * kRoundOff * angle) << "angle " << angle;
    }
  }
}

TEST(Rotation, BeyondPiComesBackAsTheShorterWayRound) {
  const Vec3 axis = Vec3(1, -2, 2) / 3.0;
  const Vec3 back = vector_from_rotation(rotation_from_vector((kPi + 0.5) * axis));
  EXPECT_LE((back + (kPi - 0.5) * axis).norm(), 10.0 * kRoundOff);
}

TEST(Rotation, ByPiKeepsItsAngle) {
  const Vec3 back = vector_from_rotation(rotation_from_vector(kPi * Vec3::UnitY()));
  EXPECT_NEAR(back.norm(), kPi, 4.0 * kRoundOff);
}

TEST(Rotation, ByZeroIsExactlyTheIdentity) {
  EXPECT_EQ(rotation_from_vector(Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(vector_from_rotation(Quat::Identity()), Vec3::Zero());
}

TEST(Rotation, AgreesWithTheAngleAxisFormula) {
  constexpr unsigned seed = 2;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  for (int i = 0; i < 200; ++i) {
    const double angle = std::pow(10.0, random.uniform(-8.0, 0.7));
    const Vec3 axis = random.direction();
    const Mat3 expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    const Mat3 actual = rotation_from_vector(angle * axis).toRotationMatrix();
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), 8.0 * kRoundOff) << "angle " << angle;
  }
}

TEST(Rotation, HasNoJumpWhereTheSeriesTakesOver) {
  // The switch is at 1e-4 rad: two vectors on either side, 1e-12 of it apart, differ in their quaternions by half as
  // much.
  const Vec3 axis = Vec3(2, 3, 6) / 7.0;
  const Quat below = rotation_from_vector(1e-4 * (1.0 - 5e-13) * axis);
  const Quat above = rotation_from_vector(1e-4 * (1.0 + 5e-13) * axis);
  EXPECT_LE((above.vec() - below.vec()).norm(), 0.5e-16 + 4.0 * 1e-20);
  EXPECT_NEAR(below.w(), above.w(), 2.3e-16);
}

TEST(Rotation, OfBothSignsOfAQuaternionIsTheSame) {
  const Quat q = rotation_from_vector(Vec3(0.3, -1.1, 0.7));
  const Quat minus(-q.w(), -q.x(), -q.y(), -q.z());
  EXPECT_EQ(vector_from_rotation(q), vector_from_rotation(minus));
}

TEST(Rotation, StaysAUnitQuaternion) {
  constexpr unsigned seed = 3;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  for (int i = 0; i < 100; ++i) {
    EXPECT_NEAR(rotation_from_vector(3.0 * random.vector(3)).norm(), 1.0, 2.3e-16);
  }
}

TEST(Pose, AppliesAndUndoesItself) {
  const Pose pose{Vec3(1, -2, 3), rotation_from_vector(Vec3(0.4, 0.5, -0.6))};
  const Vec3 x(0.7, 0.1, -0.9);
  EXPECT_LE((pose.apply_inverse(pose.apply(x)) - x).norm(), 10.0 * kRoundOff);
}

TEST(Pose, ProductMeansFirstTheInnerThenTheOuter) {
  const Pose outer{Vec3(1, -2, 3), rotation_from_vector(Vec3(0.4, 0.5, -0.6))};
  const Pose inner{Vec3(-1, 0.5, 2), rotation_from_vector(Vec3(1.4, -0.5, 0.1))};
  const Vec3 x(0.7, 0.1, -0.9);
  EXPECT_LE(((outer * inner).apply(x) - outer.apply(inner.apply(x))).norm(), 10.0 * kRoundOff);
}

TEST(CrossMatrix, MultipliesAsTheCrossProduct) {
  const Vec3 a(1.5, -2.0, 0.25);
  const Vec3 b(0.5, 3.0, -4.0);
  EXPECT_EQ(cross_matrix(a) * b, a.cross(b));  // products of short binary numbers: exact
  EXPECT_EQ(cross_matrix(a).transpose(), -cross_matrix(a));
}

}  // namespace
}  // namespace cardhouse::testing
