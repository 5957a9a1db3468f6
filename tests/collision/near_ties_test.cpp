// Pairs that sit on exact ties (flush sides, shared edges, shared corners, leaning on an edge), disturbed by every
// amount from round-off to a thousandth of the size: whatever features are chosen, the manifold must be true.
#include "cardhouse/geometry/aabb.h"
#include "collision/reference.h"

namespace cardhouse::testing {
namespace {

/// How far a point is outside of a body (negative: inside).
double outside(const Body& body, const Vec3& point) {
  double height = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < body.faces.size(); ++f) {
    height = std::max(height, body.normals[f].dot(point - body.faces[f][0]));
  }
  return height;
}

double pick(Random& random, std::initializer_list<double> choices) {
  return choices.begin()[static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(choices.size()) - 1e-9))];
}

/// A box b with a vertex of it at a vertex, on an edge or on a face of a, and turned by a right angle or by a lean.
Pose touching(const Vec3& half_a, const Vec3& half_b, Random& random) {
  const Vec3 on_a(pick(random, {-1, 0, 0.5, 1}), pick(random, {-1, 0, 0.3, 1}), 1.0);
  const Vec3 on_b(pick(random, {-1, 1}), pick(random, {-1, 1}), -1.0);
  const double quarter = std::acos(0.0);
  const Vec3 spin(0, 0, quarter * pick(random, {0, 1, 2, 3, 0.5, 0.1}));
  const Vec3 lean(pick(random, {0, 0, 0, 0.4}), pick(random, {0, 0, 0.4, 0.5 * quarter}), 0);
  const Quat orientation = rotation_from_vector(lean) * rotation_from_vector(spin);
  return {on_a.cwiseProduct(half_a) - orientation * on_b.cwiseProduct(half_b), orientation};
}

TEST(NearTiesSlow, HaveTrueManifoldsAtEveryScaleOfDisturbance) {
  constexpr double kMargin = 0.02;
  double worst = 0.0;
  for (int i = 0; i < 40000; ++i) {
    const unsigned seed = 300000u + static_cast<unsigned>(i);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const Vec3 half_a(pick(random, {0.02, 0.5, 1}), pick(random, {0.5, 1}), pick(random, {0.02, 0.5, 1}));
    const Vec3 half_b(pick(random, {0.02, 0.5, 1}), pick(random, {0.5, 1}), pick(random, {0.02, 0.5, 1}));
    const double disturbance = std::pow(10.0, random.uniform(-16.0, -3.0));
    const Pose frame = random.pose(1.0);
    const Pose pose_a = frame;
    const Pose pose_b = frame * jittered(touching(half_a, half_b, random), random, disturbance, disturbance);
    const Geometry a = Box{half_a};
    const Geometry b = i % 2 == 0 ? Geometry(Box{half_b}) : polytope(box_hull(half_b));
    const Body body_a = body_of(a, pose_a);
    const Body body_b = body_of(b, pose_b);
    const Manifold manifold = collide(a, pose_a, b, pose_b, kMargin);
    const Answer answer = exact(body_a, body_b);
    ASSERT_FALSE(manifold.empty()) << answer.gap;
    expect_consistent(manifold, kMargin, 3.0);
    const double size = std::min(characteristic_size(a), characteristic_size(b));
    const double error = std::abs(least_gap(manifold) - answer.gap) / size;
    worst = std::max(worst, error);
    // The tie band, and the thousandth of it by which nearly parallel edges may be better.
    EXPECT_LE(error, 1.01e-6);
    for (const ManifoldPoint& p : manifold) {
      // Points are on the surfaces but for what a cut at a grazing angle or a move to the middle adds.
      EXPECT_NEAR(outside(body_a, p.on_a), 0.0, 2e-5 * size);
      EXPECT_NEAR(outside(body_b, p.on_b), 0.0, 2e-5 * size);
      // No face of a or b claims more room along this normal than there is.
      EXPECT_LE(separation_along(body_a, body_b, p.normal), p.gap + 3e-6 * size);
    }
    if (HasFailure()) return;
  }
  RecordProperty("worst_error_relative_to_size", std::to_string(worst));
}

/// The axis of two edges that are parallel but for a twist of 1e-9 rad is round-off's: it must not speak for the boxes.
TEST(NearTies, FacesThatTouchAndAreTwistedByNextToNothingKeepTheirContacts) {
  const Vec3 half_a(0.03, 0.03, 0.03);
  const Vec3 half_b(0.005, 0.012, 0.02);
  for (int i = 0; i < 20000; ++i) {
    const unsigned seed = 900000u + static_cast<unsigned>(i);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const double twist = std::pow(10.0, random.uniform(-10.0, -7.0));
    const Pose pose_a = random.pose(1.0);
    const Vec3 place(half_a.x() + half_b.x(), random.uniform(-0.01, 0.01), random.uniform(-0.005, 0.005));
    const Pose pose_b = pose_a * Pose{place, rotation_from_vector(Vec3(twist, 0.0, 0.0))};
    const Manifold manifold = collide(Box{half_a}, pose_a, Box{half_b}, pose_b, 1e-5);
    ASSERT_EQ(manifold.size(), 4u) << "the finger's face lies within the cube's";
    EXPECT_NEAR(least_gap(manifold), 0.0, 1e-14);
  }
}

TEST(NearTiesSlow, KeepTheirFeaturesUnderSmallJitter) {
  for (int i = 0; i < 3000; ++i) {
    const unsigned seed = 700000u + static_cast<unsigned>(i);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const Vec3 half_a(pick(random, {0.02, 0.5, 1}), pick(random, {0.5, 1}), pick(random, {0.02, 0.5, 1}));
    const Vec3 half_b(pick(random, {0.02, 0.5, 1}), pick(random, {0.5, 1}), pick(random, {0.02, 0.5, 1}));
    const Pose pose_a = random.pose(1.0);
    const Pose pose_b = pose_a * touching(half_a, half_b, random);
    const auto still = features(collide(Box{half_a}, pose_a, Box{half_b}, pose_b, 1e-3));
    bool same = true;
    for (int k = 0; k < 10 && same; ++k) {
      const Pose moved = jittered(pose_b, random, 1e-9, 1e-8);
      same = features(collide(Box{half_a}, pose_a, Box{half_b}, moved, 1e-3)) == still;
    }
    ASSERT_TRUE(same);
  }
}

}  // namespace
}  // namespace cardhouse::testing
