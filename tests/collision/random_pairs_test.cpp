// Random pairs against the plain reference, near and far, shallow and deep.
#include "cardhouse/geometry/aabb.h"
#include "collision/reference.h"

namespace cardhouse::testing {
namespace {

using Maker = Geometry (*)(Random&);

Geometry any_box(Random& random) {
  return random.box();
}
Geometry any_hull(Random& random) {
  return random.hull(4 + static_cast<int>(random.uniform(0.0, 20.0)));
}
Geometry any_capsule(Random& random) {
  return random.capsule();
}
Geometry any_sphere(Random& random) {
  return random.sphere();
}
/// As thin as a card.
Geometry any_plate(Random& random) {
  return Box{Vec3(0.02, random.uniform(0.5, 1.0), random.uniform(0.5, 1.0))};
}

struct PairKind {
  const char* name;
  Maker a;
  Maker b;
  int count;
};

class RandomPairsSlow : public ::testing::TestWithParam<PairKind> {};

const ManifoldPoint& closest_point(const Manifold& manifold) {
  return *std::min_element(manifold.begin(), manifold.end(),
                           [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.gap < q.gap; });
}

/// Puts b so that it touches a, apart or overlapping by up to `slack`, in a random direction.
Pose beside(const Geometry& a, const Pose& pose_a, const Geometry& b, Random& random, double slack) {
  const Vec3 direction = random.direction();
  Pose pose{Vec3::Zero(), random.orientation()};
  const Body body_a = body_of(a, pose_a);
  const Body body_b = body_of(b, pose);
  const auto apart = static_cast<double>(separation_along(body_b, body_a, direction.cast<Real>()));
  const double gap = apart - body_a.radius - body_b.radius;
  pose.position = (random.uniform(-slack, slack) - gap) * direction;
  // Some sideways motion too, for features other than the extreme ones.
  pose.position += random.uniform(0.0, slack) * random.direction();
  return pose;
}

TEST_P(RandomPairsSlow, AgreeWithTheReferenceInGapAndNormal) {
  constexpr double kMargin = 3.0;
  int ties = 0;
  for (int i = 0; i < GetParam().count; ++i) {
    const unsigned seed = 1000u + static_cast<unsigned>(i);
    SCOPED_TRACE(::testing::Message() << GetParam().name << ", seed " << seed);
    Random random(seed);
    const Geometry a = GetParam().a(random);
    const Geometry b = GetParam().b(random);
    const Pose pose_a = random.pose(0.2);
    const Pose pose_b = beside(a, pose_a, b, random, i % 3 == 0 ? 0.01 : 0.5);
    const Manifold manifold = collide(a, pose_a, b, pose_b, kMargin);
    const Answer answer = exact(body_of(a, pose_a), body_of(b, pose_b));
    ASSERT_FALSE(manifold.empty());
    expect_consistent(manifold, kMargin, 2.0);
    const double size = std::min(characteristic_size(a), characteristic_size(b));
    const ManifoldPoint& found = closest_point(manifold);
    EXPECT_NEAR(found.gap, static_cast<double>(answer.gap), 1e-10 * size);
    if (answer.gap - answer.runner_up < 1e-10 * size) {
      ++ties;
    } else {
      // Closer than 1e-4 of the size, the direction loses digits to the difference of the points.
      const double round_off = 1e-15 / std::max(1e-9, std::abs(static_cast<double>(answer.gap)));
      EXPECT_LE((found.normal.cast<Real>() - answer.normal).norm(), 1e-9 + round_off);
    }
    if (HasFailure()) return;
  }
  // Ties to a ten-billionth of the size, in scenes that spread over a tenth and more.
  EXPECT_LE(ties, 1);
}

TEST_P(RandomPairsSlow, NoLongerOverlapOnceMovedByTheDepthAlongTheNormal) {
  for (int i = 0; i < GetParam().count / 3; ++i) {
    const unsigned seed = 50000u + static_cast<unsigned>(i);
    SCOPED_TRACE(::testing::Message() << GetParam().name << ", seed " << seed);
    Random random(seed);
    const Geometry a = GetParam().a(random);
    const Geometry b = GetParam().b(random);
    Pose pose_a = random.pose(0.2);
    const Pose pose_b = beside(a, pose_a, b, random, 0.3);
    const Manifold manifold = collide(a, pose_a, b, pose_b, 0.0);
    if (manifold.empty()) continue;
    const ManifoldPoint& deepest = closest_point(manifold);
    // By what the gap is right to more than the depth.
    pose_a.position -= (deepest.gap - 1e-10) * deepest.normal;
    EXPECT_TRUE(collide(a, pose_a, b, pose_b, 0.0).empty());
    if (HasFailure()) return;
  }
}

TEST_P(RandomPairsSlow, AreTheSameSeenFromTheOtherSideAndInAnotherFrame) {
  for (int i = 0; i < GetParam().count / 3; ++i) {
    const unsigned seed = 90000u + static_cast<unsigned>(i);
    SCOPED_TRACE(::testing::Message() << GetParam().name << ", seed " << seed);
    Random random(seed);
    const Geometry a = GetParam().a(random);
    const Geometry b = GetParam().b(random);
    const Pose pose_a = random.pose(0.2);
    const Pose pose_b = beside(a, pose_a, b, random, 0.3);
    const Manifold manifold = collide(a, pose_a, b, pose_b, 0.1);
    const Manifold swapped = collide(b, pose_b, a, pose_a, 0.1);
    ASSERT_EQ(manifold.empty(), swapped.empty());
    if (manifold.empty()) continue;
    EXPECT_NEAR(least_gap(manifold), least_gap(swapped), 1e-10);

    const Pose frame{Vec3(10.0, -20.0, 30.0), random.orientation()};
    const Manifold moved = collide(a, frame * pose_a, b, frame * pose_b, 0.1);
    const double size = std::min(characteristic_size(a), characteristic_size(b));
    const Answer answer = exact(body_of(a, pose_a), body_of(b, pose_b));
    if (answer.gap - answer.runner_up < 1e-10 * size) continue;  // ties may go the other way
    const ManifoldPoint& here = closest_point(manifold);
    const ManifoldPoint& there = closest_point(moved);
    // Coordinates of 40 m round off at 7e-15 m.
    EXPECT_NEAR(here.gap, there.gap, 1e-13);
    const double round_off = 1e-13 / std::max(1e-4, std::abs(here.gap));
    EXPECT_LE((frame.orientation * here.normal - there.normal).norm(), 1e-9 + round_off);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomPairsSlow,
                         ::testing::Values(PairKind{"box-box", any_box, any_box, 6000},
                                           PairKind{"plate-plate", any_plate, any_plate, 6000},
                                           PairKind{"box-hull", any_box, any_hull, 3000},
                                           PairKind{"hull-hull", any_hull, any_hull, 2000},
                                           PairKind{"capsule-box", any_capsule, any_box, 6000},
                                           PairKind{"capsule-hull", any_capsule, any_hull, 3000},
                                           PairKind{"capsule-capsule", any_capsule, any_capsule, 6000},
                                           PairKind{"sphere-box", any_sphere, any_box, 6000},
                                           PairKind{"sphere-hull", any_sphere, any_hull, 3000},
                                           PairKind{"sphere-capsule", any_sphere, any_capsule, 6000},
                                           PairKind{"sphere-sphere", any_sphere, any_sphere, 6000}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cardhouse::testing
