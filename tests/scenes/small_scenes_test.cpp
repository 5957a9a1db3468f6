// Scenes of few bodies, planar scenes and piles start where they should.
#include <gtest/gtest.h>

#include <numbers>

#include "cardhouse/geometry/mass_properties.h"
#include "scene_helpers.h"

namespace cardhouse {
namespace {

using testing::body_of;
using testing::corners_of;
using testing::index_of;
using testing::pose_of;

// Coordinates of a few metres, after a rotation: some roundings.
constexpr double rounding = 1e-14;

TEST(ParticleDropScene, StartsAtItsHeightAboveThePlane) {
  const Scene scene = make_scene("particle_drop", {{"height", "2"}});
  EXPECT_EQ(body_of(scene, "particle").kind, BodyKind::particle);
  const double radius = std::get<Sphere>(body_of(scene, "particle").shapes[0].geometry).radius;
  EXPECT_NEAR(pose_of(scene, "particle").position.z() - radius, 2.0, rounding);
}

TEST(InclineScene, LaysTheBoxOnASlopeOfRatioTimesMuThatFallsTowardsX) {
  const Scene scene = make_scene("incline", {{"mu", "0.4"}, {"ratio", "1.02"}, {"speed", "2"}});
  const Vec3 normal = pose_of(scene, "plane").orientation * Vec3::UnitZ();
  EXPECT_NEAR(normal.x() / normal.z(), 0.4 * 1.02, rounding);
  int touching = 0;
  for (const Vec3& corner : corners_of(body_of(scene, "box"), pose_of(scene, "box"))) {
    EXPECT_GE(normal.dot(corner), -rounding);
    if (normal.dot(corner) < rounding) ++touching;
  }
  EXPECT_EQ(touching, 4);
  const Vec3 velocity = scene.initial.bodies[index_of(scene, "box")].linear;
  EXPECT_NEAR(velocity.dot(normal), 0.0, rounding);
  EXPECT_NEAR(velocity.norm(), 2.0, rounding);
  EXPECT_LT(velocity.z(), 0.0);
  EXPECT_FALSE(scene.stands);
  EXPECT_TRUE(make_scene("incline").stands);
}

TEST(SlidingBlockScene, HasGroundBeyondTheStoppingDistanceAndTimeToStop) {
  for (const char* speed : {"3", "20"}) {
    const Scene scene = make_scene("sliding_block", {{"speed", speed}});
    const double v = std::stod(speed);
    const double distance = v * v / (2.0 * 0.3 * 9.81);
    EXPECT_GE(std::get<Box>(body_of(scene, "ground").shapes[0].geometry).half_extents.x(), distance + 5.0);
    EXPECT_GT(scene.duration, v / (0.3 * 9.81));
  }
  const Scene scene = make_scene("sliding_block");
  const Vec3 velocity = scene.initial.bodies[index_of(scene, "slider")].linear;
  EXPECT_NEAR(velocity.x(), 3.0 / std::numbers::sqrt2, rounding);
  EXPECT_NEAR(velocity.y(), 3.0 / std::numbers::sqrt2, rounding);
  EXPECT_NEAR(body_of(scene, "slider").mass, 32.0, rounding * 32.0);
}

TEST(BoxStackScene, GivesTheTopBoxItsShareOfMass) {
  const Scene scene = make_scene("box_stack", {{"count", "3"}, {"ratio", "100"}});
  EXPECT_EQ(scene.model.bodies.size(), 4u);
  EXPECT_NEAR(body_of(scene, "cube0").mass, 1000.0, 1e-10);
  EXPECT_NEAR(body_of(scene, "cube2").mass, 1e5, 1e-8);
  EXPECT_EQ(pose_of(scene, "cube2").position, Vec3(0.0, 0.0, 2.5));
}

TEST(PainleveRodScene, TouchesTheGroundWithItsLeadingEndAlone) {
  const Scene scene = make_scene("painleve_rod", {{"angle", "30"}});
  const Pose& pose = pose_of(scene, "rod");
  const Vec3 tip = pose.apply(Vec3(0.0, 0.0, -1.0));
  EXPECT_LE(tip.norm(), rounding);
  EXPECT_NEAR(pose.apply(Vec3(0.0, 0.0, 1.0)).z(), 2.0 * 0.5, rounding);
  // Ahead of the middle in the direction of the motion.
  EXPECT_GT((tip - pose.position).dot(scene.initial.bodies[index_of(scene, "rod")].linear), 0.0);
}

TEST(CannonballScene, HasTwoHundredAndTenDisksOnABaseOfTwentyThatTouchAndDoNotOverlap) {
  const Scene scene = make_scene("cannonball", {{"base", "20"}, {"stops", "true"}});
  std::vector<Vec3> centres;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].mobility == Mobility::dynamic) centres.push_back(scene.initial.bodies[i].pose.position);
  }
  ASSERT_EQ(centres.size(), 210u);
  int touching = 0;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    for (std::size_t k = i + 1; k < centres.size(); ++k) {
      const double gap = (centres[i] - centres[k]).norm() - 3.0;
      EXPECT_GE(gap, -rounding);
      if (gap <= rounding) ++touching;
    }
  }
  // Each of the 190 disks above the lowest row rests on two; a row of n has n − 1 contacts.
  EXPECT_EQ(touching, 2 * 190 + 190);
}

TEST(EllipseDropScene, IsThePublishedOneByDefault) {
  const Scene scene = make_scene("ellipse_drop");
  const auto& ellipse = std::get<Ellipse>(body_of(scene, "ellipse").shapes[0].geometry);
  EXPECT_EQ(ellipse.semi_axis_x, 4.0);
  EXPECT_EQ(ellipse.semi_axis_z, 2.0);
  EXPECT_EQ(body_of(scene, "ellipse").kind, BodyKind::planar);
  EXPECT_EQ(pose_of(scene, "ellipse").position, Vec3(0.0, 0.0, 8.0));
  EXPECT_EQ(scene.initial.bodies[index_of(scene, "ellipse")].angular, Vec3(0.0, 3.0, 0.0));
  EXPECT_EQ(scene.model.materials[0].mu, 0.3);
}

TEST(EllipseDropScene, StartsAboveTheTable) {
  const std::map<std::string, std::string> low = {{"axis_z", "8"}, {"height", "3.9"}};
  try {
    make_scene("ellipse_drop", low);
    FAIL() << "half of it would be below the table";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("height = 3.9: must be ≥ 4 m"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(make_scene("ellipse_drop", {{"axis_z", "8"}, {"height", "4"}}));
}

TEST(JamScene, MeetsBothWallsWhenItIsNotDropped) {
  const Scene scene = make_scene("jam", {{"drop", "0"}});
  const std::vector<Vec3> corners = corners_of(body_of(scene, "wedge"), pose_of(scene, "wedge"));
  for (const auto& [wall, side] : {std::pair{"wall_L", -1.0}, {"wall_R", 1.0}}) {
    double nearest = 1.0;
    for (const Vec3& corner : corners) {
      const Vec3 local = pose_of(scene, wall).apply_inverse(corner);
      nearest = std::min(nearest, -side * local.x() - 0.05);
      // Between the ends of the wall, or it would meet no face.
      if (-side * local.x() - 0.05 < rounding) {
        EXPECT_LT(std::abs(local.z()), 0.4);
      }
    }
    EXPECT_NEAR(nearest, 0.0, rounding) << wall;
  }
}

TEST(JamScene, HasAThroatThatTheUprightWedgePassesAndTheSlantingOneDoesNot) {
  const Scene scene = make_scene("jam");
  double width = 0.0;
  double slanting = 0.0;
  const auto& hull = *std::get<Polytope>(body_of(scene, "wedge").shapes[0].geometry).hull;
  for (const Vec3& vertex : hull.vertices) {
    width = std::max(width, 2.0 * std::abs(vertex.x()));
    slanting = std::max(slanting, 2.0 * std::abs((pose_of(scene, "wedge").orientation * vertex).x()));
  }
  EXPECT_LT(width, 0.26);
  EXPECT_GT(slanting, 0.26);
}

TEST(PileScenes, HaveRocksWhoseFrameIsTheirCentreOfMassAndWhoseCornersLieWithinTheirCells) {
  const Scene scene = make_scene("rock_pile", {{"count", "20"}});
  for (std::size_t i = 1; i < scene.model.bodies.size(); ++i) {
    const Body& rock = scene.model.bodies[i];
    EXPECT_LT(mass_properties(rock.shapes).centre.norm(), 1e-15);
    double farthest = 0.0;
    for (const Vec3& corner : std::get<Polytope>(rock.shapes[0].geometry).hull->vertices) {
      farthest = std::max(farthest, corner.norm());
    }
    EXPECT_GE(farthest, 0.07 - 1e-12);
    EXPECT_LE(farthest, 0.1 + 1e-12);
  }
}

TEST(PileScenes, StartInsideTheBin) {
  for (const char* name : {"sphere_pile", "box_pile"}) {
    const Scene scene = make_scene(name, {{"count", "37"}});
    ASSERT_EQ(scene.model.bodies.size(), 38u);
    const double inner = std::get<Box>(body_of(scene, "bin").shapes[2].geometry).half_extents.x();
    for (std::size_t i = 1; i < scene.model.bodies.size(); ++i) {
      const Geometry& geometry = scene.model.bodies[i].shapes[0].geometry;
      const auto* sphere = std::get_if<Sphere>(&geometry);
      const double radius = sphere ? sphere->radius : std::get<Box>(geometry).half_extents.norm();
      const Vec3& place = scene.initial.bodies[i].pose.position;
      EXPECT_LT(std::abs(place.x()) + radius, inner);
      EXPECT_LT(std::abs(place.y()) + radius, inner);
      EXPECT_GT(place.z() - radius, 0.0);
      for (std::size_t k = 1; sphere && k < i; ++k) {
        const double other = std::get<Sphere>(scene.model.bodies[k].shapes[0].geometry).radius;
        EXPECT_GT((place - scene.initial.bodies[k].pose.position).norm(), radius + other);
      }
    }
  }
}

TEST(BrazilNutScene, HasOneLargeDiskOnTheFloorOfAShakenBinAndTheOthersAroundAndAboveIt) {
  const Scene scene = make_scene("brazil_nut", {{"count", "50"}, {"columns", "9"}, {"ratio", "4"}, {"radius", "0.5"}});
  ASSERT_EQ(scene.model.bodies.size(), 51u);
  const Body& bin = body_of(scene, "bin");
  ASSERT_EQ(bin.mobility, Mobility::kinematic);
  EXPECT_EQ(std::get<Shaking>(*bin.motion).amplitude, Vec3(0.0, 0.0, 2.0));
  EXPECT_EQ(pose_of(scene, "nut").position, Vec3(0.0, 0.0, 2.0));
  const double half_width = 0.5 * 9 * 2.02 * 0.5;
  for (std::size_t i = 1; i < scene.model.bodies.size(); ++i) {
    const double radius = std::get<Disk>(scene.model.bodies[i].shapes[0].geometry).radius;
    const Vec3& place = scene.initial.bodies[i].pose.position;
    EXPECT_LE(std::abs(place.x()) + radius, half_width);
    EXPECT_GE(place.z() - radius, -rounding);
    if (i > 1) {
      EXPECT_LE(radius, 0.5);
      EXPECT_GE(radius, 0.4);
    }
    for (std::size_t k = 1; k < i; ++k) {
      const double other = std::get<Disk>(scene.model.bodies[k].shapes[0].geometry).radius;
      EXPECT_GE((place - scene.initial.bodies[k].pose.position).norm(), radius + other - rounding);
    }
  }
}

TEST(BrazilNutScene, RefusesALargeDiskThatDoesNotFitIn) {
  EXPECT_THROW(make_scene("brazil_nut", {{"columns", "4"}, {"ratio", "5"}}), InputError);
}

TEST(TiltingPlaneScene, TurnsAKinematicPlaneWhoseTopHoldsTheAxis) {
  for (const char* load : {"box", "card_house"}) {
    const Scene scene = make_scene("tilting_plane", {{"load", load}, {"rate", "3"}});
    const Body& plane = body_of(scene, "plane");
    ASSERT_EQ(plane.mobility, Mobility::kinematic);
    const Tilting& tilting = std::get<Tilting>(*plane.motion);
    EXPECT_NEAR(tilting.rate, 3.0 * std::numbers::pi / 180.0, rounding);
    EXPECT_GE(scene.duration * tilting.rate, tilting.max_angle);
    const double half_height = std::get<Box>(plane.shapes[0].geometry).half_extents.z();
    EXPECT_EQ(pose_of(scene, "plane").position.z() + half_height, tilting.pivot.z());
    EXPECT_FALSE(scene.stands);
  }
}

}  // namespace
}  // namespace cardhouse
