// One analytic case for each pair of kinds, and what every pair promises.
#include "cardhouse/collision/narrow_phase.h"

#include <numbers>

#include "cardhouse/base/error.h"
#include "collision/manifold_helpers.h"

namespace cardhouse::testing {
namespace {

constexpr double kQuarter = std::numbers::pi / 2.0;
constexpr double kRoundOff = 1e-15;

void expect_single(const Manifold& manifold, double gap, const Vec3& normal, const Vec3& on_a) {
  ASSERT_EQ(manifold.size(), 1u);
  expect_consistent(manifold, 10.0, 1.0);
  EXPECT_NEAR(manifold[0].gap, gap, kRoundOff);
  EXPECT_LE((manifold[0].normal - normal).norm(), kRoundOff);
  EXPECT_LE((manifold[0].on_a - on_a).norm(), kRoundOff);
}

TEST(SphereContact, WithEverythingIsOnePoint) {
  const Geometry ball = Sphere{0.5};
  const Pose pose = at(0, 0, 0.75);
  expect_single(collide(ball, pose, Sphere{0.125}, at(0, 0, 0), 1), 0.125, Vec3::UnitZ(), Vec3(0, 0, 0.25));
  expect_single(collide(ball, pose, box(1, 1, 0.25), at(0, 0, 0), 1), 0.0, Vec3::UnitZ(), Vec3(0, 0, 0.25));
  expect_single(collide(ball, pose, Capsule{0.125, 2}, at(0, 0, 0, Vec3(kQuarter, 0, 0)), 1), 0.125, Vec3::UnitZ(),
                Vec3(0, 0, 0.25));
  expect_single(collide(ball, pose, HalfSpace{}, at(3, 4, 0), 1), 0.25, Vec3::UnitZ(), Vec3(0, 0, 0.25));
  expect_single(collide(ball, pose, polytope(box_hull(Vec3(1, 1, 0.5))), at(0, 0, 0), 1), -0.25, Vec3::UnitZ(),
                Vec3(0, 0, 0.25));
}

TEST(SphereContact, NearAnEdgeAndACornerHasTheirDirection) {
  const double root2 = std::sqrt(2.0);
  const double root3 = std::sqrt(3.0);
  const Manifold edge = collide(Sphere{1.0}, at(2, 0, 2), box(1, 3, 1), at(0, 0, 0), 1);
  ASSERT_EQ(edge.size(), 1u);
  EXPECT_NEAR(edge[0].gap, root2 - 1.0, kRoundOff);
  EXPECT_LE((edge[0].normal - Vec3(1, 0, 1) / root2).norm(), kRoundOff);
  const Manifold corner = collide(Sphere{1.0}, at(2, 2, 2), box(1, 1, 1), at(0, 0, 0), 1);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_NEAR(corner[0].gap, root3 - 1.0, kRoundOff);
  EXPECT_LE((corner[0].on_b - Vec3::Ones()).norm(), kRoundOff);
}

TEST(SphereContact, WithItsCentreInsideLeavesThroughTheNearestFace) {
  expect_single(collide(Sphere{0.5}, at(0, 0.75, 0), box(1, 1, 1), at(0, 0, 0), 0), -0.75, Vec3::UnitY(),
                Vec3(0, 0.25, 0));
}

TEST(SphereContact, OfConcentricSpheresHasSomeDirection) {
  const Manifold manifold = collide(Sphere{0.5}, at(1, 2, 3), Sphere{0.25}, at(1, 2, 3), 0);
  ASSERT_EQ(manifold.size(), 1u);
  expect_consistent(manifold, 0.0, 1.0);
  EXPECT_EQ(manifold[0].gap, -0.75);
}

TEST(HalfSpaceContact, HasEveryVertexWithinTheMargin) {
  EXPECT_EQ(collide(box(1, 1, 1), at(0, 0, 1.01), HalfSpace{}, at(0, 0, 0), 0.02).size(), 4u);
  EXPECT_EQ(collide(box(1, 1, 1), at(0, 0, 1.01), HalfSpace{}, at(0, 0, 0), 0.005).size(), 0u);
  EXPECT_EQ(collide(box(1, 1, 1), at(0, 0, 1.01), HalfSpace{}, at(0, 0, 0), 2.5).size(), 8u);
  EXPECT_EQ(collide(HalfSpace{}, at(0, 0, 0), Capsule{0.5, 1}, at(0, 0, 0.5, Vec3(kQuarter, 0, 0)), 0.01).size(), 2u);
  EXPECT_TRUE(collide(HalfSpace{}, at(0, 0, 0), HalfSpace{}, at(0, 0, 1), 0.01).empty());
}

TEST(HalfSpaceContact, MayHaveANormalOfAnyLength) {
  const Manifold manifold = collide(box(1, 1, 1), at(2, 0, 0), HalfSpace{Vec3(5, 0, 0)}, at(0.5, 0, 0), 1);
  ASSERT_EQ(manifold.size(), 4u);
  for (const ManifoldPoint& p : manifold) {
    EXPECT_EQ(p.gap, 0.5);
    EXPECT_EQ(p.normal, Vec3::UnitX());
  }
}

TEST(BoxContact, OnVertexEdgeAndFaceHasTheEuclideanDistance) {
  const Geometry cube = box(1, 1, 1);
  const Manifold faces = collide(cube, at(2.5, 0.5, 0), cube, at(0, 0, 0), 1);
  ASSERT_EQ(faces.size(), 4u);
  for (const ManifoldPoint& p : faces) EXPECT_NEAR(p.gap, 0.5, kRoundOff);
  const Manifold edges = collide(cube, at(2.5, 0.5, 2.5), cube, at(0, 0, 0), 1);
  ASSERT_EQ(edges.size(), 2u);
  for (const ManifoldPoint& p : edges) {
    EXPECT_NEAR(p.gap, std::sqrt(0.5), kRoundOff);
    EXPECT_LE((p.normal - Vec3(1, 0, 1).normalized()).norm(), kRoundOff);
  }
  const Manifold corners = collide(cube, at(2.5, 2.5, 2.5), cube, at(0, 0, 0), 1);
  expect_single(corners, std::sqrt(0.75), Vec3::Ones().normalized(), Vec3::Constant(1.5));
}

TEST(BoxContact, OfCrossingEdgesIsOnePointBetweenThem) {
  // Two square bars turned by 45° about their axes, ridge across ridge.
  const double ridge = std::sqrt(2.0) * 0.1;
  const Geometry bar = box(1, 0.1, 0.1);
  const Pose lower = at(0, 0, 0, Vec3(kQuarter / 2, 0, 0));
  const Pose upper{Vec3(0.3, 0.2, 2 * ridge + 0.01),
                   rotation_from_vector(Vec3(0, 0, kQuarter)) * rotation_from_vector(Vec3(kQuarter / 2, 0, 0))};
  expect_single(collide(bar, upper, bar, lower, 0.02), 0.01, Vec3::UnitZ(), Vec3(0.3, 0, ridge + 0.01));
  Pose overlapping = upper;
  overlapping.position.z() -= 0.03;
  expect_single(collide(bar, overlapping, bar, lower, 0.02), -0.02, Vec3::UnitZ(), Vec3(0.3, 0, ridge - 0.02));
}

TEST(BoxContact, OfACornerOnAFaceIsThatCorner) {
  const double tilt = std::acos(1.0 / std::sqrt(3.0));
  const Pose pose{Vec3(0, 0, std::sqrt(3.0) + 0.25), rotation_from_vector(tilt * Vec3(1, -1, 0).normalized())};
  const Manifold manifold = collide(box(1, 1, 1), pose, box(5, 5, 1), at(0, 0, -1), 0.5);
  ASSERT_EQ(manifold.size(), 1u);
  EXPECT_NEAR(manifold[0].gap, 0.25, 1e-14);
  EXPECT_LE((manifold[0].normal - Vec3::UnitZ()).norm(), kRoundOff);
}

TEST(BoxContact, BeyondTheMarginIsNone) {
  EXPECT_TRUE(collide(box(1, 1, 1), at(2.5, 2.5, 2.5), box(1, 1, 1), at(0, 0, 0), 0.86).empty());
  EXPECT_FALSE(collide(box(1, 1, 1), at(2.5, 2.5, 2.5), box(1, 1, 1), at(0, 0, 0), 0.87).empty());
}

TEST(BoxContact, OfConcentricBoxesHasTheLeastDepth) {
  const Manifold manifold = collide(box(1, 1, 0.5), at(0, 0, 0), box(1, 1, 0.5), at(0, 0, 0), 0);
  ASSERT_FALSE(manifold.empty());
  EXPECT_NEAR(least_gap(manifold), -1.0, kRoundOff);
}

TEST(PolytopeContact, EqualsThatOfTheBoxItIs) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed 11, pair " << i);
    const Vec3 half = Vec3::Constant(0.1) + random.in_cube(0.05).cwiseAbs();
    const Pose pose_a = random.pose(0.1);
    const Pose pose_b = random.pose(0.1);
    const Manifold boxes = collide(Box{half}, pose_a, box(0.1, 0.2, 0.3), pose_b, 0.1);
    const Manifold hulls =
        collide(polytope(box_hull(half)), pose_a, polytope(box_hull(Vec3(0.1, 0.2, 0.3))), pose_b, 0.1);
    ASSERT_EQ(features(boxes), features(hulls));
    for (std::size_t k = 0; k < boxes.size(); ++k) EXPECT_NEAR(boxes[k].gap, hulls[k].gap, 1e-15);
  }
}

TEST(NarrowPhase, AppendsToWhatIsThere) {
  Manifold manifold(3);
  cardhouse::collide(Sphere{1}, at(0, 0, 0), Sphere{1}, at(1, 0, 0), 0, manifold);
  EXPECT_EQ(manifold.size(), 4u);
}

TEST(NarrowPhase, TurnsTheNormalWhenThePairIsGivenTheOtherWay) {
  const Manifold one = collide(Sphere{1}, at(0, 0, 1.5), box(1, 1, 1), at(0, 0, 0), 0);
  const Manifold other = collide(box(1, 1, 1), at(0, 0, 0), Sphere{1}, at(0, 0, 1.5), 0);
  ASSERT_EQ(one.size(), 1u);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(one[0].normal, -other[0].normal);
  EXPECT_EQ(one[0].on_a, other[0].on_b);
  EXPECT_EQ(one[0].gap, other[0].gap);
  EXPECT_EQ(one[0].feature, other[0].feature);
}

TEST(NarrowPhase, RefusesAPlanarFigureWithASolidAndNamesTheRemedy) {
  try {
    collide(box(1, 1, 1), at(0, 0, 0), Disk{1}, at(0, 0, 0), 0);
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("disk and box"), std::string::npos) << message;
    EXPECT_NE(message.find("half_space instead"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace cardhouse::testing
