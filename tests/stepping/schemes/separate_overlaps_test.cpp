#include "cardhouse/stepping/schemes/separate_overlaps.h"

#include <gtest/gtest.h>

#include "cardhouse/base/error.h"
#include "cardhouse/model/joint_kinematics.h"
#include "cardhouse/stepping/schemes/detect.h"
#include "stepping/bodies.h"

namespace cardhouse {
namespace {

using namespace test;

/// m
double deepest_overlap(const SmallModel& setup) {
  Detector detector(setup.model);
  std::vector<BodyMotion> at_rest;
  for (const BodyState& body : setup.state.bodies) at_rest.push_back(rest_of(body));
  double depth = 0.0;
  for (const Contact& contact : detector.detect(setup.model, setup.state, at_rest, {})) {
    depth = std::max(depth, -contact.gap);
  }
  return depth;
}

int add_wall(SmallModel& setup, const std::string& name, const Vec3& normal, const Vec3& position) {
  Body wall;
  wall.name = name;
  wall.mobility = Mobility::fixed;
  wall.shapes.push_back({HalfSpace{.normal = normal}, Pose{}, 0});
  BodyState s;
  s.pose.position = position;
  return setup.add(wall, s);
}

TEST(SeparateOverlaps, LeavesWhatOnlyTouchesAsItIs) {
  SmallModel setup;
  setup.add_floor();
  setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.1));
  setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.3 - 1e-12));
  const std::uint64_t before = state_hash(setup.state);
  const Separation done = separate_overlaps(setup.model, {}, setup.state);
  EXPECT_EQ(done.rounds, 0);
  EXPECT_EQ(done.body, -1);
  EXPECT_EQ(state_hash(setup.state), before);
}

TEST(SeparateOverlaps, HeavyBodiesMoveLess) {
  SmallModel setup;
  const int light = setup.add_box(Vec3::Constant(0.1), Vec3(-0.098, 0.0, 0.0), 1000.0);
  const int heavy = setup.add_box(Vec3::Constant(0.1), Vec3(0.098, 0.0, 0.0), 3000.0);
  setup.state.bodies[light].linear = Vec3(1.0, 2.0, 3.0);
  const Separation done = separate_overlaps(setup.model, {}, setup.state);
  EXPECT_NEAR(setup.state.bodies[light].pose.position.x(), -0.098 - 3e-3, 1e-9);
  EXPECT_NEAR(setup.state.bodies[heavy].pose.position.x(), 0.098 + 1e-3, 1e-9);
  EXPECT_EQ(done.body, light);
  EXPECT_NEAR(done.distance, 3e-3, 1e-9);
  EXPECT_EQ(setup.state.bodies[light].linear, Vec3(1.0, 2.0, 3.0)) << "velocities stay";
  EXPECT_LT(deepest_overlap(setup), 1e-10);
}

TEST(SeparateOverlaps, WhatIsPushedOutMakesRoomBehindIt) {
  SmallModel setup;
  setup.add_floor();
  for (int i = 0; i < 5; ++i) setup.add_box(Vec3::Constant(0.1), Vec3(0.0, 0.0, 0.09 + 0.2 * i));
  const Separation done = separate_overlaps(setup.model, {}, setup.state);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(setup.state.bodies[1 + i].pose.position.z(), 0.1 + 0.2 * i, 1e-9);
  EXPECT_NEAR(done.distance, 0.01, 1e-9);
}

TEST(SeparateOverlaps, ACrowdOfBodiesOfAllSortsEndsApart) {
  SmallModel setup;
  setup.add_floor();
  for (int i = 0; i < 30; ++i) {
    Body body;
    body.name = "body" + std::to_string(i);
    BodyState s;
    s.pose.position = Vec3(0.15 * (i % 3), 0.15 * (i / 3 % 3), 0.08 + 0.16 * (i / 9));
    s.pose.orientation = rotation_from_vector(Vec3(0.3 * i, 0.2, 0.1 * i));
    if (i % 3 == 0) body.shapes.push_back({Sphere{0.1}, Pose{}, 0});
    if (i % 3 == 1) body.shapes.push_back({Box{Vec3(0.1, 0.08, 0.06)}, Pose{}, 0});
    if (i % 3 == 2) body.shapes.push_back({Capsule{0.05, 0.05}, Pose{}, 0});
    set_density(body, s, 500.0 + 100.0 * (i % 4));
    setup.add(body, s);
  }
  ASSERT_GT(deepest_overlap(setup), 0.01);
  const Separation done = separate_overlaps(setup.model, {}, setup.state);
  EXPECT_LT(deepest_overlap(setup), 1e-10);
  EXPECT_LT(done.distance, 0.5);
}

TEST(SeparateOverlaps, PlanarBodiesAndParticlesMoveToo) {
  SmallModel setup;
  setup.add_floor();
  Body disk;
  disk.name = "disk";
  disk.kind = BodyKind::planar;
  disk.shapes.push_back({Disk{0.1}, Pose{}, 0});
  BodyState s;
  s.pose.position.z() = 0.09;
  set_density(disk, s, 10.0);
  setup.add(disk, s);
  Body particle;
  particle.name = "particle";
  particle.kind = BodyKind::particle;
  particle.mass = 1.0;
  particle.shapes.push_back({Sphere{0.01}, Pose{}, 0});
  s.pose.position = Vec3(1.0, 0.0, 0.005);
  setup.add(particle, s);
  separate_overlaps(setup.model, {}, setup.state);
  EXPECT_NEAR(setup.state.bodies[1].pose.position.z(), 0.1, 1e-9);
  EXPECT_NEAR(setup.state.bodies[2].pose.position.z(), 0.01, 1e-9);
}

TEST(SeparateOverlaps, JointsHold) {
  SmallModel setup;
  setup.add_floor();
  const int box = setup.add_box(Vec3(0.3, 0.1, 0.05), Vec3(0.3, 0.0, 0.03));
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::hinge;
  hinge.first = box;
  hinge.second = -1;
  hinge.frame_first.position = Vec3(-0.3, 0.0, 0.0);
  hinge.frame_first.orientation = rotation_from_vector(Vec3(-1.5707963267948966, 0.0, 0.0));  // z to y
  hinge.frame_second.position = Vec3(0.0, 0.0, 0.1);
  hinge.frame_second.orientation = hinge.frame_first.orientation;
  setup.model.joints.push_back(hinge);
  setup.state.bodies[box].pose.position.z() = 0.1;
  const Quat turn = rotation_from_vector(Vec3(0.0, 0.2, 0.0));  // the free end goes down, into the floor
  setup.state.bodies[box].pose = {Vec3(0.0, 0.0, 0.1) + turn * Vec3(0.3, 0.0, 0.0), turn};
  ASSERT_LT(worst_joint_violation(setup.model, setup.state).length, 1e-12);
  ASSERT_GT(deepest_overlap(setup), 0.03);
  separate_overlaps(setup.model, {}, setup.state);
  EXPECT_LT(deepest_overlap(setup), 1e-9);
  const JointViolation left = worst_joint_violation(setup.model, setup.state);
  EXPECT_LT(left.length, 1e-8);
  EXPECT_LT(left.angle, 1e-8);
}

TEST(SeparateOverlaps, TwoWallsCloserThanABodyAreRefusedByName) {
  SmallModel setup;
  add_wall(setup, "left", Vec3(1.0, 0.0, 0.0), Vec3(-0.09, 0.0, 0.0));
  add_wall(setup, "right", Vec3(-1.0, 0.0, 0.0), Vec3(0.08, 0.0, 0.0));
  setup.add_box(Vec3::Constant(0.1), Vec3::Zero());
  setup.model.bodies[2].shapes[0].geometry = Sphere{0.1};
  try {
    separate_overlaps(setup.model, {}, setup.state);
    FAIL() << "a body has no room and was accepted";
  } catch (const InputError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("\"right\" and \"box2\" overlap by 0.02 m"), std::string::npos) << words;
    EXPECT_NE(words.find("cannot be moved apart"), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace cardhouse
