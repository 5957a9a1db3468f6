// What standing structures ask of the narrow phase: full manifolds, at exact ties, that do not change while the poses
// jitter by what a time stepper leaves over.
#include <numbers>

#include "collision/reference.h"

namespace cardhouse::testing {
namespace {

constexpr double kLean = 22.0 * std::numbers::pi / 180.0;
constexpr double kHalfThickness = 0.001;
constexpr double kHalfWidth = 0.0315;
constexpr double kHalfHeight = 0.044;
constexpr double kSize = 0.0541;  // half the diagonal

/// Thin along x, upright along z.
Geometry card() {
  return box(kHalfThickness, kHalfWidth, kHalfHeight);
}

/// A card turned about y by `angle` (positive leans towards +x at the top) with the given local point put at `place`.
Pose leaning(double angle, const Vec3& local, const Vec3& place) {
  const Quat orientation = rotation_from_vector(Vec3(0.0, angle, 0.0));
  return {place - orientation * local, orientation};
}

/// The left card's upper right edge on the y axis.
Pose left_card() {
  return leaning(kLean, Vec3(kHalfThickness, 0.0, kHalfHeight), Vec3::Zero());
}

Pose right_card() {
  return leaning(-kLean, Vec3(-kHalfThickness, 0.0, kHalfHeight), Vec3::Zero());
}

struct Jitter {
  double shift;  // m
  double turn;   // rad
};

/// A hundred times what rough steps leave over: names bear it.
constexpr Jitter kRough{1e-9, 1e-8};

/// What the steps of a standing card house leave over.
constexpr Jitter kAtRest{2e-13, 2e-12};

/// Calls the check with many jittered copies of the two poses.
template <class Check>
void under_jitter(const Pose& a, const Pose& b, const Jitter& jitter, const Check& check) {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed 7, jitter " << i);
    check(jittered(a, random, jitter.shift, jitter.turn), jittered(b, random, jitter.shift, jitter.turn));
    if (::testing::Test::HasFailure()) return;
  }
}

/// The same features as without jitter.
void expect_same_names(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                       std::size_t points) {
  const Manifold still = collide(a, pose_a, b, pose_b, margin);
  ASSERT_EQ(still.size(), points);
  expect_consistent(still, margin, 1.0);
  under_jitter(pose_a, pose_b, kRough, [&](const Pose& moved_a, const Pose& moved_b) {
    ASSERT_EQ(features(collide(a, moved_a, b, moved_b, margin)), features(still));
  });
}

/// The same features, and gaps, points and normals that follow the motion. Scenes are about `size` (m) large.
void expect_stable(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                   std::size_t points, double size = 0.5, const Jitter& jitter = kRough) {
  expect_same_names(a, pose_a, b, pose_b, margin, points);
  if (::testing::Test::HasFailure()) return;
  const Manifold still = collide(a, pose_a, b, pose_b, margin);
  under_jitter(pose_a, pose_b, jitter, [&](const Pose& moved_a, const Pose& moved_b) {
    const Manifold manifold = collide(a, moved_a, b, moved_b, margin);
    for (std::size_t i = 0; i < points; ++i) {
      // Jitter moves points by at most √3 (1e-9 + 1e-8 · size) on each of the two sides; a crossing of edges at a
      // slant, or a normal between points that are ten times closer than the size, magnifies it.
      EXPECT_NEAR(manifold[i].gap, still[i].gap, 5e-9 + 4e-8 * size);
      EXPECT_LE((manifold[i].on_a - still[i].on_a).norm(), 2e-8 + 3e-7 * size);
      EXPECT_LE((manifold[i].normal - still[i].normal).norm(), 5e-7);
    }
  });
}

/// Of edge on edge: between bodies that jitter by more than they touch to, the exact direction is that of the jitter.
void expect_stable_at_rest(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                           std::size_t points) {
  expect_stable(a, pose_a, b, pose_b, margin, points, 0.5, kAtRest);
}

TEST(Apex, TwoLeaningCardsMeetInAHorizontalDirectionAtTheEndsOfTheirEdges) {
  const Manifold manifold = collide(card(), left_card(), card(), right_card(), 1e-4);
  ASSERT_EQ(manifold.size(), 2u);
  expect_consistent(manifold, 1e-4, kSize);
  for (const ManifoldPoint& p : manifold) {
    EXPECT_NEAR(p.gap, 0.0, 1e-15);
    // Exact but for the round-off of sine and cosine.
    EXPECT_LE((p.normal + Vec3::UnitX()).norm(), 1e-14);
    EXPECT_NEAR(std::abs(p.on_a.y()), kHalfWidth, 1e-15);
  }
  EXPECT_NEAR(manifold[0].on_a.y(), -manifold[1].on_a.y(), 1e-15);
}

TEST(Apex, StaysHorizontalWhenACardShiftsByAPicometreInAnyDirection) {
  const auto still = features(collide(card(), left_card(), card(), right_card(), 1e-4));
  for (int k = 0; k < 27; ++k) {
    Pose shifted = right_card();
    const Vec3 shift = 1e-12 * Vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    shifted.position += shift;
    const Manifold manifold = collide(card(), left_card(), card(), shifted, 1e-4);
    EXPECT_EQ(features(manifold), still) << k;
    for (const ManifoldPoint& p : manifold) {
      EXPECT_LE((p.normal + Vec3::UnitX()).norm(), 1e-14) << k;
      // The distance, in whatever direction it is least, is no more than the shift.
      EXPECT_LE(std::abs(p.gap), 1.5e-12) << k;
    }
  }
}

TEST(Apex, KeepsItsNamesAndHasTheExactDirectionWhenACardShiftsByTensOfNanometres) {
  const auto still = features(collide(card(), left_card(), card(), right_card(), 1e-4));
  for (int k = 0; k < 27; ++k) {
    Pose shifted = right_card();
    shifted.position += 1e-8 * Vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    const Body left = body_of(card(), left_card());
    const Body right = body_of(card(), shifted);
    const auto distance = static_cast<double>(exact(left, right).gap);
    const Manifold manifold = collide(card(), left_card(), card(), shifted, 1e-4);
    EXPECT_EQ(features(manifold), still) << k;
    for (const ManifoldPoint& p : manifold) {
      EXPECT_NEAR(p.gap, distance, 1e-10 * kSize) << k;
      // Coordinates of 0.04 m carry 1e-17 m of round-off: over a gap of 1e-8 m, on a card's length.
      EXPECT_NEAR(static_cast<double>(separation_along(left, right, p.normal.cast<Real>())), distance, 2e-9 * kSize);
    }
  }
}

TEST(Apex, KeepsItsPointsWhenTheCardsJitter) {
  expect_stable_at_rest(card(), left_card(), card(), right_card(), 1e-4, 2);
  expect_stable_at_rest(card(), right_card(), card(), left_card(), 1e-4, 2);
  expect_stable_at_rest(polytope(box_hull(Vec3(kHalfThickness, kHalfWidth, kHalfHeight))), left_card(), card(),
                        right_card(), 1e-4, 2);
}

TEST(Apex, OfAnyLeanIsSymmetric) {
  for (double degrees = 2.0; degrees < 45.0; degrees += 1.0) {
    const double lean = degrees * std::numbers::pi / 180.0;
    const Pose left = leaning(lean, Vec3(kHalfThickness, 0.0, kHalfHeight), Vec3(0.3, 0.2, 1.0));
    const Pose right = leaning(-lean, Vec3(-kHalfThickness, 0.0, kHalfHeight), Vec3(0.3, 0.2, 1.0));
    expect_stable_at_rest(card(), left, card(), right, 1e-4, 2);
    for (const ManifoldPoint& p : collide(card(), left, card(), right, 1e-4)) {
      EXPECT_LE((p.normal + Vec3::UnitX()).norm(), 1e-13) << degrees;
    }
  }
}

TEST(Apex, OfCardsThatAreClearlyApartHasTheExactDirection) {
  Pose right = right_card();
  right.position += Vec3(2e-5, 0.0, 1e-6);
  const Manifold manifold = collide(card(), left_card(), card(), right, 1e-4);
  ASSERT_EQ(manifold.size(), 2u);
  for (const ManifoldPoint& p : manifold) {
    EXPECT_NEAR(p.gap, std::hypot(2e-5, 1e-6), 1e-15);
    // Coordinates of 0.04 m carry 1e-17 m of round-off, over a gap of 2e-5 m.
    EXPECT_LE((p.normal - Vec3(-2e-5, 0.0, -1e-6).normalized()).norm(), 1e-11);
  }
}

TEST(Apex, ThatOverlapsDeeplyTakesTheLeastOverlap) {
  Pose right = right_card();
  right.position.x() -= 1e-4;
  const Manifold manifold = collide(card(), left_card(), card(), right, 1e-4);
  ASSERT_GE(manifold.size(), 2u);
  EXPECT_NEAR(least_gap(manifold), -1e-4 * std::cos(kLean), 1e-15);
}

TEST(Apex, OfCardsRolledAgainstEachOtherKeepsTheEndThatStaysNear) {
  // The right card rolls about x: the edges cross in their middle, and their ends pass each other at a small distance.
  for (double roll : {1e-5, 1e-4, 1e-3, 1e-2}) {
    Pose right = right_card();
    const Quat turn = rotation_from_vector(Vec3(roll, 0.0, 0.0));
    right = Pose{turn * right.position, turn * right.orientation};
    const Manifold manifold = collide(card(), left_card(), card(), right, 1e-3);
    ASSERT_GE(manifold.size(), 3u) << roll;
    expect_consistent(manifold, 1e-3, kSize);
    EXPECT_NEAR(least_gap(manifold), 0.0, 1e-15) << roll;
    for (const ManifoldPoint& p : manifold) {
      // One end is roll · half width below the other edge, beside the large face; the other above the narrow one.
      EXPECT_LE(p.gap, roll * kHalfWidth * std::cos(kLean) + 1e-12) << roll;
    }
  }
}

TEST(Stack, OfEqualBoxesHasTheFourCornersOfTheUpperOne) {
  const Geometry block = box(0.1, 0.2, 0.05);
  expect_stable(block, at(0, 0, 0), block, at(0, 0, 0.1), 1e-3, 4);
  expect_stable(block, at(0, 0, 0.1), block, at(0, 0, 0), 1e-3, 4);
  const Geometry hull = polytope(box_hull(Vec3(0.1, 0.2, 0.05)));
  expect_stable(hull, at(0, 0, 0), block, at(0, 0, 0.1), 1e-3, 4);
  const Vec3 tilt(0.3, -0.7, 1.1);
  const Pose lower = at(5, 6, 7, tilt);
  expect_stable(block, lower, block, lower * at(0, 0, 0.1), 1e-3, 4);
}

TEST(Stack, OfBoxesFlushOnOneSideKeepsItsCorners) {
  expect_stable(box(0.1, 0.2, 0.05), at(0, 0, 0), box(0.05, 0.2, 0.05), at(0.05, 0, 0.1), 1e-3, 4);
  expect_stable(box(0.1, 0.2, 0.05), at(0, 0, 0), box(0.1, 0.2, 0.05), at(0.1, 0, 0.1), 1e-3, 4);
  expect_stable(box(0.1, 0.2, 0.05), at(0, 0, 0), box(0.1, 0.2, 0.05), at(0.1, 0.2, 0.1), 1e-3, 4);
}

TEST(Stack, CrossedHasTheFourCrossingsOfTheEdges) {
  const Geometry beam = box(0.5, 0.05, 0.05);
  const Pose across = at(0, 0, 0.1, Vec3(0, 0, std::numbers::pi / 2));
  const Manifold manifold = collide(beam, at(0, 0, 0), beam, across, 1e-3);
  ASSERT_EQ(manifold.size(), 4u);
  for (const ManifoldPoint& p : manifold) {
    EXPECT_NEAR(std::abs(p.on_a.x()), 0.05, 1e-15);
    EXPECT_NEAR(std::abs(p.on_a.y()), 0.05, 1e-15);
  }
  expect_stable(beam, at(0, 0, 0), beam, across, 1e-3, 4);
}

TEST(Stack, TurnedByAnEighthHasEightPoints) {
  const Geometry cube = box(0.1, 0.1, 0.1);
  const Pose turned = at(0, 0, 0.2, Vec3(0, 0, std::numbers::pi / 4));
  expect_stable(cube, at(0, 0, 0), cube, turned, 1e-3, 8);
}

TEST(Stack, WithASlightTiltFindsAllCornersWithinTheMargin) {
  const Geometry block = box(0.1, 0.1, 0.1);
  const Manifold manifold = collide(block, at(0, 0, 0.21, Vec3(0.02, 0.01, 0.3)), box(1, 1, 0.1), at(0, 0, 0), 0.02);
  EXPECT_EQ(manifold.size(), 4u);
}

/// The lower left edge of a leaning card, on the y axis.
Pose foot() {
  return leaning(kLean, Vec3(kHalfThickness, 0.0, -kHalfHeight), Vec3::Zero());
}

TEST(Foot, OfALeaningCardStandsOnTheEndsOfItsEdge) {
  const double other_edge = 2.0 * kHalfThickness * std::sin(kLean);  // height of the other edge of the bottom face
  for (const Geometry& ground : {box(1, 1, 0.5), Geometry(HalfSpace{})}) {
    const Pose pose = std::holds_alternative<Box>(ground) ? at(0.1, 0, -0.5) : at(0, 0, 0);
    expect_stable(card(), foot(), ground, pose, 0.9 * other_edge, 2);
    expect_stable(ground, pose, card(), foot(), 0.9 * other_edge, 2);
    expect_stable(card(), foot(), ground, pose, 1.1 * other_edge, 4);
  }
}

TEST(Foot, OnAFlatCardStandsOnTheEndsOfItsEdge) {
  const Geometry flat = box(kHalfHeight, kHalfWidth, kHalfThickness);
  expect_stable(card(), foot(), flat, at(0.01, 0, -kHalfThickness), 1e-4, 2);
  expect_stable(flat, at(0.01, 0, -kHalfThickness), card(), foot(), 1e-4, 2);
}

TEST(FlatCard, LiesOnTheUpperEdgesOfLeaningCards) {
  const Geometry flat = box(kHalfHeight, kHalfWidth, kHalfThickness);
  // The highest edge of a card that leans to the right is its upper left one.
  const Pose left = leaning(kLean, Vec3(-kHalfThickness, 0.0, kHalfHeight), Vec3(0.01, 0.0, 0.0));
  const Pose right = leaning(-kLean, Vec3(kHalfThickness, 0.0, kHalfHeight), Vec3(-0.01, 0.0, 0.0));
  for (const Pose& lean : {left, right}) {
    expect_stable(flat, at(0, 0, kHalfThickness), card(), lean, 1e-4, 2);
    expect_stable(card(), lean, flat, at(0, 0, kHalfThickness), 1e-4, 2);
    for (const ManifoldPoint& p : collide(flat, at(0, 0, kHalfThickness), card(), lean, 1e-4)) {
      EXPECT_LE((p.normal - Vec3::UnitZ()).norm(), 1e-15);
    }
  }
}

TEST(FlatCard, BesideAnotherFacesItAcrossTheirGap) {
  const Geometry flat = box(kHalfHeight, kHalfWidth, kHalfThickness);
  const Pose beside = at(2 * kHalfHeight + 5e-4, 0, 0);
  expect_stable(flat, at(0, 0, 0), flat, beside, 1e-3, 4);
  for (const ManifoldPoint& p : collide(flat, at(0, 0, 0), flat, beside, 1e-3)) {
    EXPECT_NEAR(p.gap, 5e-4, 1e-16);
    EXPECT_LE((p.normal + Vec3::UnitX()).norm(), 1e-15);
  }
}

TEST(FlatCard, EdgeOnEdgeWithItsNeighbourIsHeldAtTheSharedEdge) {
  // Shifted up by its own thickness: the two touch in an edge only, where the symmetric direction is at 45°.
  const Geometry flat = box(kHalfHeight, kHalfWidth, kHalfThickness);
  expect_stable_at_rest(flat, at(0, 0, 0), flat, at(2 * kHalfHeight, 0, 2 * kHalfThickness), 1e-4, 2);
}

TEST(Wedges, OfAnArchShareTheirWholeFace) {
  const auto voussoir = [](double from, double to) {
    std::vector<Vec3> points;
    for (double angle : {from, to}) {
      for (double radius : {1.0, 1.2}) {
        for (double y : {-0.1, 0.1}) points.emplace_back(radius * std::cos(angle), y, radius * std::sin(angle));
      }
    }
    return polytope(hull_of_points(points));
  };
  const double step = std::numbers::pi / 15;
  for (int i = 0; i < 14; ++i) {
    expect_stable(voussoir(i * step, (i + 1) * step), at(0, 0, 0), voussoir((i + 1) * step, (i + 2) * step),
                  at(0, 0, 0), 1e-3, 4, 1.2);
  }
}

TEST(Landing, OnCrossingEdgesFindsTheCornersThatComeNext) {
  // Two crossed beams, the upper one tilted by 3° about the lower one's axis and its own: edge against edge, with other
  // corners of the overlap within the margin.
  const Geometry beam = box(0.5, 0.05, 0.05);
  const Vec3 tilt(0.05, 0.04, 0.0);
  const Pose upper{Vec3(0, 0, 0.107), rotation_from_vector(tilt) * rotation_from_vector(Vec3(0, 0, 1.5))};
  const Manifold manifold = collide(beam, upper, beam, at(0, 0, 0), 0.02);
  ASSERT_GE(manifold.size(), 4u);
  expect_consistent(manifold, 0.02, 0.5);
  for (const ManifoldPoint& p : manifold) EXPECT_GT(p.gap, 0.0);
}

TEST(Capsules, LieOnFacesAndOnEachOtherWithTwoPoints) {
  const Geometry capsule = Capsule{0.1, 0.5};
  const Vec3 flat(0, std::numbers::pi / 2, 0);
  expect_stable(capsule, at(0, 0, 0.1, flat), box(1, 1, 0.5), at(0, 0, -0.5), 1e-3, 2);
  expect_stable(capsule, at(0, 0, 0.1, flat), HalfSpace{}, at(0, 0, 0), 1e-3, 2);
  expect_stable(capsule, at(0, 0, 0.1, flat), capsule, at(0, 0, 0.3, flat), 1e-3, 2);
  expect_stable(capsule, at(0.2, 0, 0.1, flat), capsule, at(0, 0, 0.3, flat), 1e-3, 2);
}

TEST(Capsules, LongerThanTheFaceRestOnItsTwoEdges) {
  const Vec3 flat(0, std::numbers::pi / 2, 0);
  const Geometry capsule = Capsule{0.1, 0.5};
  const Manifold manifold = collide(capsule, at(0, 0, 0.1, flat), box(0.2, 1, 0.5), at(0, 0, -0.5), 1e-3);
  ASSERT_EQ(manifold.size(), 2u);
  for (const ManifoldPoint& p : manifold) EXPECT_NEAR(std::abs(p.on_b.x()), 0.2, 1e-15);
  expect_stable(capsule, at(0, 0, 0.1, flat), box(0.2, 1, 0.5), at(0, 0, -0.5), 1e-3, 2);
}

TEST(Capsules, CrossingHaveOnePoint) {
  const Geometry capsule = Capsule{0.1, 0.5};
  const Pose along_x = at(0, 0, 0.3, Vec3(0, std::numbers::pi / 2, 0));
  const Pose along_y = at(0, 0, 0, Vec3(std::numbers::pi / 2, 0, 0));
  expect_stable(capsule, along_x, capsule, along_y, 0.2, 1);
  EXPECT_NEAR(collide(capsule, along_x, capsule, along_y, 0.2)[0].gap, 0.1, 1e-15);
}

TEST(Capsules, AlongTheEdgeOfABoxHaveTwoPoints) {
  // The axis is parallel to the edge, off it at 45°.
  const Geometry capsule = Capsule{0.1, 0.5};
  const Pose pose = at(0.5 + 0.1 / std::sqrt(2.0), 0, 0.5 + 0.1 / std::sqrt(2.0), Vec3(std::numbers::pi / 2, 0, 0));
  expect_stable(capsule, pose, box(0.5, 2, 0.5), at(0, 0, 0), 1e-3, 2);
  for (const ManifoldPoint& p : collide(capsule, pose, box(0.5, 2, 0.5), at(0, 0, 0), 1e-3)) {
    EXPECT_NEAR(p.gap, 0.0, 1e-15);
    EXPECT_LE((p.normal - Vec3(1, 0, 1).normalized()).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace cardhouse::testing
