// Pairs that sit on exact ties (flush sides, shared edges, shared corners, leaning on an edge), disturbed by every
// amount from round-off to a thousandth of the size: whatever features are chosen, gap and normal must be exact and the
// manifold true.
#include "cardhouse/geometry/aabb.h"
#include "collision/reference.h"

namespace cardhouse::testing {
namespace {

/// How far a point is outside of a body (negative: inside).
double outside(const Body& body, const Vec3& point) {
  Real height = -std::numeric_limits<Real>::infinity();
  for (std::size_t f = 0; f < body.faces.size(); ++f) {
    height = std::max(height, body.normals[f].dot(point.cast<Real>() - body.faces[f][0]));
  }
  return static_cast<double>(height);
}

const ManifoldPoint& nearest(const Manifold& manifold) {
  return *std::min_element(manifold.begin(), manifold.end(),
                           [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.gap < q.gap; });
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

/// A box and a box, or the same as a polytope, close to a tie.
struct Pair {
  Geometry a;
  Geometry b;
  Pose pose_a;
  Pose pose_b;

  Body body_a() const { return body_of(a, pose_a); }
  Body body_b() const { return body_of(b, pose_b); }
  double size() const { return std::min(characteristic_size(a), characteristic_size(b)); }
};

/// Touching but for a shift and a turn (faces and edges nearly parallel), each of any order of magnitude, and often
/// lifted off, pushed in or moved aside by more (flush faces side by side, corners over edges).
Pair near_tie(unsigned seed) {
  Random random(seed);
  const Vec3 half_a(pick(random, {0.02, 0.5, 1}), pick(random, {0.5, 1}), pick(random, {0.02, 0.5, 1}));
  const Vec3 half_b(pick(random, {0.02, 0.5, 1}), pick(random, {0.5, 1}), pick(random, {0.02, 0.5, 1}));
  const double shift = std::pow(10.0, random.uniform(-16.0, -3.0));
  const double turn = std::pow(10.0, random.uniform(-13.0, -3.0));
  const double lift = pick(random, {0, 1, -1}) * std::pow(10.0, random.uniform(-9.0, -2.0));
  const Pose pose_a = random.pose(1.0);
  Pose place = jittered(touching(half_a, half_b, random), random, shift, turn);
  place.position[random.uniform(0.0, 1.0) < 0.7 ? 2 : 0] += lift;
  return {Box{half_a}, seed % 2 == 0 ? Geometry(Box{half_b}) : polytope(box_hull(half_b)), pose_a, pose_a * place};
}

/// The promise is 1e-10 of the size and 1e-9 rad.
constexpr double kGap = 1e-10;
constexpr double kNormal = 1e-9;

/// Bodies closer than this part of their size touch: gaps as fine are what a time step leaves of none.
constexpr double kTouching = 2e-9;

/// Coordinates are up to 3 m, the poses' own digits among them.
constexpr double kTieRoundOff = 2e-15;

/// Whether round-off of the poses turns the exact normal by more than the promise: edges that are parallel but for
/// 1e-12 rad cross anywhere.
bool is_a_matter_of_round_off(const Pair& pair) {
  const Answer answer = exact(pair.body_a(), pair.body_b());
  for (int axis = 0; axis < 3; ++axis) {
    Pair other = pair;
    other.pose_b.orientation = rotation_from_vector(1e-15 * Vec3::Unit(axis)) * pair.pose_b.orientation;
    const Answer moved = exact(other.body_a(), other.body_b());
    if ((moved.normal - answer.normal).norm() > 0.5 * kNormal) return true;
  }
  return false;
}

/// Of bodies that are apart there is one normal: to 1e-9 rad, and what round-off turns points at this distance by.
bool is_the_normal(const Vec3& normal, const Answer& answer) {
  return answer.gap > 0.0L && (normal.cast<Real>() - answer.normal).norm() <= kNormal + kTieRoundOff / answer.gap;
}

/// Of bodies that touch or overlap any will do along which they are separated as well as along the best, to 1e-10 of
/// the size: corners and edges that touch have a whole cone of these.
bool separates_as_well(const Vec3& normal, const Pair& pair, const Answer& answer) {
  return separation_along(pair.body_a(), pair.body_b(), normal.cast<Real>()) >= answer.gap - kGap * pair.size();
}

struct Tally {
  int apart = 0;
  int matters_of_round_off = 0;
};

void check_gap_and_normal(const Pair& pair, Tally& tally) {
  const Answer answer = exact(pair.body_a(), pair.body_b());
  const Manifold manifold = collide(pair.a, pair.pose_a, pair.b, pair.pose_b, 1.0);
  ASSERT_FALSE(manifold.empty()) << answer.gap;
  const ManifoldPoint& point = nearest(manifold);
  ASSERT_NEAR(point.gap, static_cast<double>(answer.gap), kGap * pair.size());
  const bool touch = answer.gap <= kTouching * pair.size();
  if (!touch) ++tally.apart;
  if (is_the_normal(point.normal, answer) || (touch && separates_as_well(point.normal, pair, answer))) return;
  ASSERT_TRUE(!touch && is_a_matter_of_round_off(pair))
      << point.normal.transpose() << " for " << answer.normal.transpose() << ", gap " << answer.gap;
  ++tally.matters_of_round_off;
}

TEST(NearTiesSlow, HaveTheExactGapAndNormal) {
  Tally tally;
  for (unsigned seed = 500000; seed < 530000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    check_gap_and_normal(near_tie(seed), tally);
    if (HasFailure()) return;
  }
  EXPECT_GT(tally.apart, 5000);
  EXPECT_LE(tally.matters_of_round_off, 10);
}

/// Random hulls, with a face of the one laid on a face of the other: corner on corner, or somewhere on the face.
Pair face_on_face(unsigned seed) {
  Random random(seed);
  const auto any = [&](std::size_t count) {
    return static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(count) - 1e-9));
  };
  const Geometry a = random.hull(6 + static_cast<int>(any(8)));
  const Geometry b = random.hull(6 + static_cast<int>(any(8)));
  const Hull& hull_a = *std::get<Polytope>(a).hull;
  const Hull& hull_b = *std::get<Polytope>(b).hull;
  const Hull::Face& face_a = hull_a.faces[any(hull_a.faces.size())];
  const Hull::Face& face_b = hull_b.faces[any(hull_b.faces.size())];
  const auto corner = [&](const Hull& hull, const Hull::Face& face) {
    return hull.vertices[face.vertices[any(face.vertices.size())]];
  };
  const Vec3 on_a =
      corner(hull_a, face_a) + pick(random, {0, 0, 0.3}) * (corner(hull_a, face_a) - corner(hull_a, face_a));
  const Quat spin = rotation_from_vector(random.uniform(0.0, 6.0) * face_a.normal);
  const Quat orientation = spin * Quat::FromTwoVectors(face_b.normal, -face_a.normal);
  const double lift = pick(random, {0, 1, -1}) * std::pow(10.0, random.uniform(-9.0, -2.0));
  const Pose laid{on_a - orientation * corner(hull_b, face_b) + lift * face_a.normal, orientation};
  const double shift = std::pow(10.0, random.uniform(-16.0, -3.0));
  const double turn = std::pow(10.0, random.uniform(-13.0, -3.0));
  const Pose pose_a = random.pose(1.0);
  return {a, b, pose_a, pose_a * jittered(laid, random, shift, turn)};
}

TEST(NearTiesSlow, OfFacesOfAnyHullsHaveTheExactGapAndNormal) {
  Tally tally;
  for (unsigned seed = 1; seed < 4000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    check_gap_and_normal(face_on_face(seed), tally);
    if (HasFailure()) return;
  }
  EXPECT_GT(tally.apart, 1000);
  EXPECT_LE(tally.matters_of_round_off, 5);
}

TEST(NearTiesSlow, HaveTrueManifoldsAtEveryScaleOfDisturbance) {
  constexpr double kMargin = 0.03;
  for (unsigned seed = 300000; seed < 340000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Pair pair = near_tie(seed);
    const Body body_a = pair.body_a();
    const Body body_b = pair.body_b();
    const Manifold manifold = collide(pair.a, pair.pose_a, pair.b, pair.pose_b, kMargin);
    expect_consistent(manifold, kMargin, 3.0);
    for (const ManifoldPoint& p : manifold) {
      // Points are on the surfaces but for what a cut at a grazing angle, a move to the middle or the tie band adds,
      // and for the angle of up to 1e-3 between the face that they were cut at and the direction.
      const double off = 2e-5 * pair.size() + 1e-3 * std::abs(p.gap);
      EXPECT_NEAR(outside(body_a, p.on_a), 0.0, off);
      EXPECT_NEAR(outside(body_b, p.on_b), 0.0, off);
      // No face of a or b claims more room along this normal than there is.
      EXPECT_LE(separation_along(body_a, body_b, p.normal.cast<Real>()), p.gap + 3e-6 * pair.size());
    }
    if (HasFailure()) return;
  }
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
    const Manifold manifold = collide(Box{half_a}, pose_a, Box{half_b}, pose_b, 1e-3);
    // Deep in each other, equally so in clearly different directions: the better one must be taken, and has other
    // points.
    if (least_gap(manifold) < -1e-2) continue;
    const auto still = features(manifold);
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
