#include "cardhouse/contact/diagnosis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contact/small_problems.h"

namespace cardhouse::testing {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRoundOff = 1e-12;

/// A thin rod of half-length 1 whose lower end touches a floor at `angle` from the horizontal.
ContactProblem rod(double angle, double mu) {
  ProblemBuilder builder;
  builder.body(planar_mass(1.0, 1.0 / 3.0), Vec3::Zero());
  builder.rows(coulomb(mu), {{0, planar_rows(Vec2::UnitY(), Vec2(-std::cos(angle), -std::sin(angle)))}}, VecX::Zero(2));
  return builder.problem;
}

/// A ball of radius 1 that touches walls with the given normals.
ContactProblem ball(const std::vector<Vec3>& normals, const Law& law) {
  ProblemBuilder builder;
  builder.rigid(1.0, 0.4, Vec3::Zero());
  for (const Vec3& normal : normals) {
    builder.rows(law, {{0, ProblemBuilder::rigid_rows(frame_of(normal), -normal)}}, VecX::Zero(3));
  }
  return builder.problem;
}

/// A planar wedge in a V whose walls stand at `angle` from the vertical, touched at equal heights.
ContactProblem wedge(double angle, double mu) {
  ProblemBuilder builder;
  builder.body(planar_mass(1.0, 0.2), Vec3::Zero());
  for (double side : {-1.0, 1.0}) {
    const Vec2 normal(-side * std::cos(angle), std::sin(angle));
    builder.rows(coulomb(mu), {{0, planar_rows(normal, Vec2(side, 0.3))}}, VecX::Zero(2));
  }
  return builder.problem;
}

TEST(SubspaceAngle, OfAParticleOnAPlaneIsARightAngle) {
  const SolvedProblem particle = particle_with(coulomb(0.5), Vec3(1, 0, 0), Vec3::Zero());
  EXPECT_NEAR(diagnose(particle.problem).subspace_angle, 0.5 * kPi, kRoundOff);
}

TEST(SubspaceAngle, OfARodFollowsItsAngle) {
  for (double angle : {0.2, 0.7, 1.0, 1.4}) {
    const double nn = 1.0 + 3.0 * std::cos(angle) * std::cos(angle);
    const double tt = 1.0 + 3.0 * std::sin(angle) * std::sin(angle);
    const double nt = 3.0 * std::sin(angle) * std::cos(angle);
    EXPECT_NEAR(diagnose(rod(angle, 0.5)).subspace_angle, std::acos(nt / std::sqrt(nn * tt)), kRoundOff) << angle;
  }
}

TEST(SubspaceAngle, IsZeroWhereNormalAndFrictionShareADirection) {
  // A particle in a right-angled corner: what is normal to one wall is tangential to the other.
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2::Zero());
  builder.rows(coulomb(0.5), {{0, MatX::Identity(2, 2)}}, VecX::Zero(2));
  builder.rows(coulomb(0.5), {{0, (MatX(2, 2) << 0, 1, 1, 0).finished()}}, VecX::Zero(2));
  EXPECT_NEAR(diagnose(builder.problem).subspace_angle, 0.0, 1e-7);  // acos near 1 halves the digits
}

TEST(SubspaceAngle, WithoutFrictionRowsIsARightAngle) {
  ProblemBuilder builder;
  builder.rigid(1.0, 1.0, Vec3::Zero());
  builder.rows(of_kind(Law::Kind::unilateral), {{0, MatX::Ones(1, 6)}}, VecX::Zero(1));
  EXPECT_NEAR(diagnose(builder.problem).subspace_angle, 0.5 * kPi, kRoundOff);
}

TEST(PainleveRatio, OfARodIsThatOfTheFormula) {
  for (double angle : {0.3, 0.8, 1.2}) {
    for (double mu : {0.3, 1.0, 2.0}) {
      const double expected =
          3.0 * mu * std::sin(angle) * std::cos(angle) / (1.0 + 3.0 * std::cos(angle) * std::cos(angle));
      const Diagnosis diagnosis = diagnose(rod(angle, mu));
      EXPECT_NEAR(diagnosis.painleve_ratio, expected, kRoundOff);
      EXPECT_EQ(diagnosis.painleve_contact, 0);
    }
  }
}

TEST(PainleveRatio, OfARodReachesOneFirstAtFourThirds) {
  // The least mu of Painlevé's paradox for a thin rod, at tan(angle) = 2.
  EXPECT_NEAR(diagnose(rod(std::atan(2.0), 4.0 / 3.0)).painleve_ratio, 1.0, kRoundOff);
  for (double angle = 0.05; angle < 1.55; angle += 0.05) EXPECT_LT(diagnose(rod(angle, 1.33)).painleve_ratio, 1.0);
}

TEST(PainleveRatio, IsPerContactAndNamesTheWorst) {
  const Diagnosis diagnosis =
      diagnose(side_by_side({rod(0.8, 0.2), VecX::Zero(2)}, {rod(0.8, 0.9), VecX::Zero(2)}).problem);
  ASSERT_EQ(diagnosis.painleve_ratios.size(), 2u);
  EXPECT_NEAR(diagnosis.painleve_ratios[1] / diagnosis.painleve_ratios[0], 4.5, kRoundOff);
  EXPECT_EQ(diagnosis.painleve_contact, 1);
  EXPECT_EQ(diagnosis.painleve_ratio, diagnosis.painleve_ratios[1]);
}

TEST(PainleveRatio, OfARodInSpaceDoesNotDependOnTheTangents) {
  const double angle = 0.8;
  const Vec3 arm(-std::cos(angle), 0.0, -std::sin(angle));
  const double planar = diagnose(rod(angle, 0.7)).painleve_ratio;
  for (double turn : {0.0, 0.4, 1.0, kPi / 2.0}) {
    Mat3 frame;
    frame << 0, 0, 1, std::cos(turn), std::sin(turn), 0, -std::sin(turn), std::cos(turn), 0;
    for (const Law& law : {coulomb(0.7), polygonal(0.7)}) {
      ProblemBuilder builder;
      builder.rigid(1.0, 1.0 / 3.0, Vec3::Zero());
      Law only_mu = law;
      only_mu.mu_cross = 0.0;  // read for ellipses alone
      builder.rows(only_mu, {{0, ProblemBuilder::rigid_rows(frame, arm)}}, VecX::Zero(3));
      EXPECT_NEAR(diagnose(builder.problem).painleve_ratio, planar, kRoundOff) << "turned by " << turn;
    }
  }
}

TEST(PainleveRatio, OfAnEllipseTakesTheCoefficientOfEachDirection) {
  const Vec3 arm(-std::cos(0.8), 0.0, -std::sin(0.8));
  const Mat3 frame = frame_of(Vec3::UnitZ());  // first tangent: +x, in the rod's plane
  const auto ratio = [&](const Law& law) {
    ProblemBuilder builder;
    builder.rigid(1.0, 1.0 / 3.0, Vec3::Zero());
    builder.rows(law, {{0, ProblemBuilder::rigid_rows(frame, arm)}}, VecX::Zero(3));
    return diagnose(builder.problem).painleve_ratio;
  };
  EXPECT_NEAR(ratio(elliptic(0.7, 0.1)), ratio(coulomb(0.7)), kRoundOff);
  EXPECT_NEAR(ratio(elliptic(0.1, 0.7)), ratio(coulomb(0.1)), kRoundOff);
}

TEST(PainleveRatio, WithoutFrictionIsZero) {
  EXPECT_EQ(diagnose(rod(0.8, 0.0)).painleve_ratio, 0.0);
}

TEST(Rank, OfABoxOnAFloorIsItsSixFreedoms) {
  const Diagnosis diagnosis = diagnose(box_stack(1).problem);
  EXPECT_EQ(diagnosis.rows, 12);
  EXPECT_EQ(diagnosis.rank, 6);
}

TEST(Rank, OfAStackCountsRedundantContactsOnce) {
  const Diagnosis diagnosis = diagnose(box_stack(5, 1000.0).problem);
  EXPECT_EQ(diagnosis.rows, 60);
  EXPECT_EQ(diagnosis.rank, 30);
}

TEST(Rank, OfIndependentRowsIsTheirNumber) {
  EXPECT_EQ(diagnose(leaning_cards(0.3, 0.8).problem).rank, 6);
  EXPECT_EQ(diagnose(ball({Vec3::UnitZ()}, coulomb(0.5))).rank, 3);
}

TEST(FrictionCone, OfABallOnAFloorIsPointed) {
  for (double mu : {0.0, 0.5, 5.0}) EXPECT_TRUE(diagnose(ball({Vec3::UnitZ()}, coulomb(mu))).pointed) << mu;
}

TEST(FrictionCone, OfABallBetweenParallelPlatesIsNotPointed) {
  for (double mu : {0.0, 0.05, 0.5, 2.0}) {
    for (const Law& law : {coulomb(mu), polygonal(mu), elliptic(mu, 0.5 * mu)}) {
      EXPECT_FALSE(diagnose(ball({Vec3::UnitZ(), -Vec3::UnitZ()}, law)).pointed) << mu;
    }
  }
}

TEST(FrictionCone, OfABallInACornerIsPointedUntilItCanBeWedgedThere) {
  // The line through both contact points stands at 45° to both normals.
  const std::vector<Vec3> corner = {Vec3::UnitZ(), Vec3::UnitX()};
  for (double mu : {0.0, 0.3, 0.9, 0.99}) EXPECT_TRUE(diagnose(ball(corner, coulomb(mu))).pointed) << mu;
  for (double mu : {1.01, 1.1, 3.0}) EXPECT_FALSE(diagnose(ball(corner, coulomb(mu))).pointed) << mu;
}

TEST(FrictionCone, OfAWedgeJamsWhenFrictionExceedsTheTangentOfTheWall) {
  for (double angle : {0.1, 0.3, 0.8}) {
    const double critical = std::tan(angle);
    for (double factor : {0.0, 0.5, 0.9, 0.99}) {
      EXPECT_TRUE(diagnose(wedge(angle, factor * critical)).pointed) << angle << ", factor " << factor;
    }
    for (double factor : {1.01, 1.1, 2.0, 10.0}) {
      EXPECT_FALSE(diagnose(wedge(angle, factor * critical)).pointed) << angle << ", factor " << factor;
    }
  }
}

TEST(FrictionCone, OfStandingStructuresIsPointed) {
  EXPECT_TRUE(diagnose(box_stack(1).problem).pointed);
  EXPECT_TRUE(diagnose(box_stack(20).problem).pointed);
  EXPECT_TRUE(diagnose(box_stack(5, 1e4).problem).pointed);
  EXPECT_TRUE(diagnose(leaning_cards(0.3, 0.3).problem).pointed);
}

TEST(FrictionCone, OfLeaningCardsIsPointedHoweverRoughTheyAre) {
  // A flat floor can only push up: without weight to carry it gives nothing, and the top alone balances no card.
  for (double mu : {0.1, 0.8, 2.0}) EXPECT_TRUE(diagnose(leaning_cards(0.3, mu).problem).pointed) << mu;
}

TEST(FrictionCone, OfAnEllipseIsWedgedAlongItsRoughAxisOnly) {
  const auto spatial_wedge = [](const Law& law) {
    ProblemBuilder builder;
    builder.rigid(1.0, 0.2, Vec3::Zero());
    for (double side : {-1.0, 1.0}) {
      const Vec3 normal(-side * std::cos(0.3), 0.0, std::sin(0.3));
      Mat3 frame;
      frame << normal.transpose(), side * std::sin(0.3), 0.0, std::cos(0.3), 0.0, 1.0, 0.0;
      builder.rows(law, {{0, ProblemBuilder::rigid_rows(frame, Vec3(side, 0, 0))}}, VecX::Zero(3));
    }
    return diagnose(builder.problem).pointed;
  };
  EXPECT_FALSE(spatial_wedge(elliptic(0.5, 0.1)));
  EXPECT_TRUE(spatial_wedge(elliptic(0.1, 0.5)));
}

TEST(FrictionCone, CountsFrictionlessRowsToo) {
  ProblemBuilder squeezed;
  squeezed.body(MatX::Identity(1, 1), VecX::Zero(1));
  for (double side : {-1.0, 1.0}) {
    squeezed.rows(of_kind(Law::Kind::unilateral), {{0, MatX::Constant(1, 1, side)}}, VecX::Zero(1));
  }
  EXPECT_FALSE(diagnose(squeezed.problem).pointed);
}

TEST(FrictionCone, OfMoreFrictionlessContactsThanFreedomsIsPointedWhenTheyAllPushOneWay) {
  ProblemBuilder builder;
  builder.body(MatX::Identity(2, 2), Vec2::Zero());
  for (const Vec2& normal : {Vec2(1, 0), Vec2(0, 1), Vec2(Vec2(1, 1).normalized())}) {
    builder.rows(coulomb(0.5), {{0, normal.transpose()}}, VecX::Zero(1));
  }
  EXPECT_TRUE(diagnose(builder.problem).pointed);
}

TEST(FrictionCone, LooksPastJointsThatTakeTheLoad) {
  // A bead on a rail along x between two plates: the rail's rows carry any impulse across, so that leaning plates wedge
  // the bead only when they also balance along the rail.
  const auto bead = [](const Vec2& first, const Vec2& second) {
    ProblemBuilder builder;
    builder.body(MatX::Identity(2, 2), Vec2::Zero());
    builder.rows(of_kind(Law::Kind::equality), {{0, Vec2(0, 1).transpose()}}, VecX::Zero(1));
    for (const Vec2& normal : {first, second}) builder.rows(coulomb(0.0), {{0, normal.transpose()}}, VecX::Zero(1));
    return diagnose(builder.problem).pointed;
  };
  EXPECT_TRUE(bead(Vec2(0.8, 0.6), Vec2(0.8, -0.6)));
  EXPECT_FALSE(bead(Vec2(0.8, 0.6), Vec2(-0.8, 0.6)));
}

TEST(Diagnosis, OfNoContactsIsHarmless) {
  const Diagnosis diagnosis = diagnose(ContactProblem());
  EXPECT_EQ(diagnosis.rank, 0);
  EXPECT_TRUE(diagnosis.pointed);
  EXPECT_EQ(diagnosis.painleve_contact, -1);
  EXPECT_NEAR(diagnosis.subspace_angle, 0.5 * kPi, kRoundOff);
}

TEST(Diagnosis, OfTwoIndependentProblemsIsThatOfBothTogether) {
  const SolvedProblem first{rod(0.8, 0.3), VecX::Zero(2)};
  const SolvedProblem second{wedge(0.3, 0.5), VecX::Zero(4)};
  Diagnosis merged = diagnose(first.problem);
  merge(merged, diagnose(second.problem));
  const Diagnosis whole = diagnose(side_by_side(first, second).problem);
  EXPECT_NEAR(merged.subspace_angle, whole.subspace_angle, 1e-7);
  EXPECT_EQ(merged.rank, whole.rank);
  EXPECT_EQ(merged.rows, whole.rows);
  EXPECT_EQ(merged.pointed, whole.pointed);
  EXPECT_EQ(merged.painleve_contact, whole.painleve_contact);
  EXPECT_EQ(merged.painleve_ratio, whole.painleve_ratio);
  EXPECT_EQ(merged.painleve_ratios, whole.painleve_ratios);
}

TEST(Diagnosis, MergedIntoAnEmptyOneIsUnchanged) {
  Diagnosis merged;
  const Diagnosis other = diagnose(wedge(0.3, 0.5));
  merge(merged, other);
  EXPECT_EQ(merged.painleve_contact, other.painleve_contact);
  EXPECT_EQ(merged.rank, other.rank);
  EXPECT_EQ(merged.pointed, other.pointed);
}

}  // namespace
}  // namespace cardhouse::testing
