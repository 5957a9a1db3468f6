#include "cardhouse/report/start_overlap.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"

namespace cardhouse {
namespace {

/// Two cubes of 1 m on a floor, the left one `depth` into it.
Scene cubes_on_floor(double depth) {
  Scene scene;
  const auto add = [&](const char* name, const Geometry& geometry, Mobility mobility, const Vec3& position) {
    Body body;
    body.name = name;
    body.mass = 1.0;
    body.inertia = Mat3::Identity();
    body.mobility = mobility;
    body.shapes.push_back({geometry, Pose{}, 0});
    scene.model.bodies.push_back(body);
    BodyState state;
    state.pose.position = position;
    scene.initial.bodies.push_back(state);
    scene.initial.initial_poses.push_back(state.pose);
  };
  const Box cube{Vec3(0.5, 0.5, 0.5)};
  add("floor", HalfSpace{}, Mobility::fixed, Vec3::Zero());
  add("left", cube, Mobility::dynamic, Vec3(-2.0, 0.0, 0.5 - depth));
  add("right", cube, Mobility::dynamic, Vec3(2.0, 0.0, 0.5));
  return scene;
}

TEST(StartOverlap, IsNoneWhenBodiesTouchUpToRounding) {
  EXPECT_FALSE(find_start_overlap(cubes_on_floor(0.0)));
  EXPECT_FALSE(find_start_overlap(cubes_on_floor(1e-12)));
}

TEST(StartOverlap, CountsContactsAndNamesTheDeepestPair) {
  const auto overlap = find_start_overlap(cubes_on_floor(0.01));
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->contacts, 4);
  EXPECT_NEAR(overlap->deepest, 0.01, 1e-12);
  EXPECT_EQ(overlap->first + overlap->second, "floorleft");
}

TEST(StartOverlap, SaysWhatTheFirstStepWillDo) {
  StepSettings settings;
  const StartOverlap overlap{4, 0.01, "floor", "left"};
  const std::string what = "4 contacts overlap at the start, the deepest by 10 mm between \"floor\" and \"left\"; ";
  EXPECT_EQ(start_overlap_words(overlap, settings),
            what + "they are kept: none grows, and they shrink as bodies come apart");
  settings.initial_overlaps = InitialOverlaps::separate;
  EXPECT_EQ(start_overlap_words(overlap, settings), what + "bodies are moved apart before the run");
  settings.initial_overlaps = InitialOverlaps::push;
  EXPECT_EQ(start_overlap_words(overlap, settings), what + "the first step pushes them apart at depth/h = 10 m/s");
  settings.contact = ContactModel::soft;
  EXPECT_NE(start_overlap_words(overlap, settings).find("springs of soft contacts"), std::string::npos);
  settings.scheme = Scheme::moreau_jean;
  EXPECT_NE(start_overlap_words(overlap, settings).find("Moreau–Jean scheme leaves"), std::string::npos);
}

TEST(StartOverlap, RefusesAPlanarBodyThatMeetsASpatialOne) {
  Scene scene = cubes_on_floor(0.0);
  Body& disk = scene.model.bodies[2];
  disk.kind = BodyKind::planar;
  disk.shapes[0].geometry = Disk{0.5};
  scene.initial.bodies[2].pose.position.x() = -1.9;
  EXPECT_THROW(find_start_overlap(scene), InputError);
}

}  // namespace
}  // namespace cardhouse
