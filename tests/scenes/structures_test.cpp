// Card houses, arches, log houses and towers have the measures that they should have.
#include <gtest/gtest.h>

#include <numbers>

#include "cardhouse/world/world.h"
#include "reference_scene.h"
#include "scene_helpers.h"

namespace cardhouse {
namespace {

using testing::body_of;
using testing::corners_of;
using testing::dynamic_mass;
using testing::pose_of;

constexpr const char* no_reference = "the reference scenes do not lie beside this checkout";

// Lengths of about a metre, computed in another order of operations and printed with 17 digits: 1e-12 leaves room for
// thousands of roundings and is a millionth of what any contact would notice.
constexpr double same = 1e-12;

void expect_card_house_like(const std::string& file, const std::string& levels) {
  const auto reference = testing::read_reference(file);
  if (!reference) GTEST_SKIP() << no_reference;
  const Scene scene = make_scene("card_house", {{"levels", levels}});
  ASSERT_EQ(scene.model.bodies.size(), reference->size());
  for (const auto& [name, expected] : *reference) {
    SCOPED_TRACE(name);
    const Body& body = body_of(scene, name);
    const Pose& pose = pose_of(scene, name);
    EXPECT_EQ(body.mobility == Mobility::fixed, expected.fixed);
    if (!expected.fixed) {
      EXPECT_NEAR(body.mass, expected.mass, same);
    }
    EXPECT_LE((std::get<Box>(body.shapes.at(0).geometry).half_extents - expected.half_extents).norm(), same);
    EXPECT_LE((pose.position - expected.pose.position).norm(), same);
    EXPECT_LE((pose.orientation.coeffs() - expected.pose.orientation.coeffs()).norm(), same);
  }
}

TEST(CardHouseScene, OfTwoLevelsEqualsTheReference) {
  expect_card_house_like("cardhouse_2.json", "2");
}

TEST(CardHouseScene, OfFourLevelsEqualsTheReference) {
  expect_card_house_like("cardhouse_4.json", "4");
}

TEST(CardHouseScene, TurnsAndMovesAsAWhole) {
  const Scene plain = make_scene("card_house");
  const Scene moved = make_scene("card_house", {{"yaw", "37"}, {"offset", "10"}});
  const double yaw = 37.0 * std::numbers::pi / 180.0;
  const Pose placement{Vec3(10.0, 0.0, 0.0), Quat(Eigen::AngleAxisd(yaw, Vec3::UnitZ()))};
  ASSERT_EQ(plain.model.bodies.size(), moved.model.bodies.size());
  for (std::size_t i = 0; i < plain.model.bodies.size(); ++i) {
    const Pose expected = placement * plain.initial.bodies[i].pose;
    EXPECT_LE((moved.initial.bodies[i].pose.position - expected.position).norm(), same);
    EXPECT_LE(moved.initial.bodies[i].pose.orientation.angularDistance(expected.orientation), 1e-7);
  }
}

TEST(CardHouseScene, LeavesOutTheMissingCardOnly) {
  const Scene whole = make_scene("card_house");
  const Scene scene = make_scene("card_house", {{"missing", "0"}});
  EXPECT_EQ(scene.model.bodies.size() + 1, whole.model.bodies.size());
  EXPECT_THROW(body_of(scene, "lean_0_0L"), InputError);
  EXPECT_EQ(pose_of(scene, "lean_0_0R").position, pose_of(whole, "lean_0_0R").position);
  EXPECT_EQ(scene.stands->bodies.size(), scene.model.bodies.size() - 1);
}

TEST(CardHouseScene, HasTheMassOfItsCards) {
  const Scene scene = make_scene("card_house", {{"levels", "3"}});
  const double sine = std::sin(22.0 * std::numbers::pi / 180.0);
  const double cosine = std::cos(22.0 * std::numbers::pi / 180.0);
  const double flat_length = 2.0 * (0.088 * sine + 0.002 * cosine) + 0.0005;
  const double expected = 900.0 * 0.063 * 0.002 * (12 * 0.088 + 3 * flat_length);
  EXPECT_NEAR(dynamic_mass(scene), expected, 1e-14);  // 0.14 kg to round-off
}

TEST(ArchScene, OfTwentyOneVoussoirsEqualsTheReference) {
  const auto reference = testing::read_reference("arch_21.json");
  if (!reference) GTEST_SKIP() << no_reference;
  const Scene scene = make_scene("arch");
  for (const auto& [name, expected] : *reference) {
    SCOPED_TRACE(name);
    const Body& body = body_of(scene, name);
    const Pose& pose = pose_of(scene, name);
    EXPECT_LE((pose.position - expected.pose.position).norm(), same);
    // Its mass is that of a sum of triangles: relative round-off of 1e-12 at the most.
    if (!expected.fixed) {
      EXPECT_NEAR(body.mass / expected.mass, 1.0, same);
    }
    const double half_depth = expected.fixed ? 0.5 : 0.25;
    for (const Vec2& point : expected.section) {
      double nearest = 1.0;
      for (const Vec3& corner : corners_of(body, pose)) {
        EXPECT_NEAR(std::abs(corner.y()), half_depth, same);
        const Vec3 wanted = expected.pose.apply(Vec3(point.x(), 0.0, point.y()));
        nearest = std::min(nearest, std::hypot(corner.x() - wanted.x(), corner.z() - wanted.z()));
      }
      EXPECT_LE(nearest, same);
    }
  }
}

/// Corners of a voussoir at its joint with the next one: the four that both have.
int shared_corners(const Scene& scene, int voussoir) {
  const std::string first = "voussoir" + std::to_string(voussoir);
  const std::string second = "voussoir" + std::to_string(voussoir + 1);
  int count = 0;
  for (const Vec3& a : corners_of(body_of(scene, first), pose_of(scene, first))) {
    for (const Vec3& b : corners_of(body_of(scene, second), pose_of(scene, second))) {
      // Each is the same point, stored relative to two centres: a rounding or two of a 4 m coordinate.
      if ((a - b).norm() <= 2e-15) ++count;
    }
  }
  return count;
}

TEST(ArchScene, HasNeighboursWhoseJointFacesCoincide) {
  for (const char* kind : {"semicircle", "catenary"}) {
    for (const int voussoirs : {3, 20, 21, 101}) {
      const Scene scene = make_scene("arch", {{"kind", kind}, {"voussoirs", std::to_string(voussoirs)}});
      for (int i = 0; i + 1 < voussoirs; ++i) EXPECT_EQ(shared_corners(scene, i), 4) << kind << " " << i;
    }
  }
}

TEST(ArchScene, StandsOnTheFacesOfItsSpringers) {
  for (const char* kind : {"semicircle", "catenary"}) {
    const Scene scene = make_scene("arch", {{"kind", kind}});
    for (const auto& [voussoir, springer] : {std::pair{"voussoir0", "springer_R"}, {"voussoir20", "springer_L"}}) {
      const Pose& base = pose_of(scene, springer);
      int on_face = 0;
      for (const Vec3& corner : corners_of(body_of(scene, voussoir), pose_of(scene, voussoir))) {
        const Vec3 local = base.apply_inverse(corner);
        EXPECT_GE(local.z(), 0.5 - same);
        if (std::abs(local.z() - 0.5) > same) continue;
        ++on_face;
        // The face is twice as wide as the arch is thick: the foot stands in its middle.
        EXPECT_NEAR(std::abs(local.x()), 0.2, same);
      }
      EXPECT_EQ(on_face, 4) << kind << " " << voussoir;
    }
  }
}

TEST(ArchScene, WeighsAsMuchAsItsCentrelineTimesItsSection) {
  // Between two curves at equal distance from a third lies that distance times the length. Flat sides lack
  // (turn of a stone)²/6 of it: 6.6e-6 for 500 stones of the semicircle, at most 9.1e-5 at the catenary's crown.
  const double semicircle = 2000.0 * 0.5 * 0.4 * 2.0 * std::numbers::pi;
  EXPECT_NEAR(dynamic_mass(make_scene("arch", {{"voussoirs", "500"}})) / semicircle, 1.0, 1e-5);
  const Scene catenary = make_scene("arch", {{"kind", "catenary"}, {"voussoirs", "500"}});
  const double t = 2.4664971362075256;  // half span / a, from cosh t − 1 = 2 t: as high as wide
  const double length = 2.0 * (2.0 / t) * std::sinh(t);
  EXPECT_NEAR(dynamic_mass(catenary) / (2000.0 * 0.5 * 0.4 * length), 1.0, 1e-4);
}

TEST(ArchScene, IsSymmetricUpToTheRoundingOfCentroids) {
  const Scene scene = make_scene("arch", {{"kind", "catenary"}});
  for (int i = 0; i < 21; ++i) {
    const Vec3 right = pose_of(scene, "voussoir" + std::to_string(i)).position;
    const Vec3 left = pose_of(scene, "voussoir" + std::to_string(20 - i)).position;
    // The sums of the centroid run in another order on the other side.
    EXPECT_NEAR(right.x(), -left.x(), 1e-15);
    EXPECT_NEAR(right.z(), left.z(), 2e-15);
  }
}

TEST(LogHouseScene, WeighsAsMuchAsItsLogsWithoutTheirNotches) {
  const Scene scene = make_scene("log_house", {{"layers", "3"}});
  const double length = 1.0 + 0.102 + 2 * 0.08;
  const double log = 500.0 * 0.1 * (0.1 * length - 4 * 0.024 * 0.102);
  EXPECT_NEAR(dynamic_mass(scene), 12 * log, 1e-12);  // 70 kg to round-off
}

TEST(KaplaTowerScene, HasTwoPlanksALevelEachOnFourPointsOfTheTwoBelow) {
  const Scene scene = make_scene("kapla_tower", {{"levels", "36"}});
  EXPECT_NEAR(dynamic_mass(scene), 72 * 520.0 * 0.117 * 0.0234 * 0.0078, 1e-12);
  EXPECT_NEAR(pose_of(scene, "plank35_1").position.z(), 35.5 * 0.0078, 1e-15);
  World world(scene);
  EXPECT_EQ(world.step().contacts, 8 + 35 * 16);
}

}  // namespace
}  // namespace cardhouse
