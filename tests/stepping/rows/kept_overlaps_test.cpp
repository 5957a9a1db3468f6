#include "cardhouse/stepping/rows/kept_overlaps.h"

#include "stepping/collisions.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double rounding = 1e-9;

Contact point_of(int shape_a, int shape_b, std::uint64_t feature, double gap) {
  Contact contact;
  contact.key = {shape_a, shape_b, feature};
  contact.gap = gap;
  contact.gap_rounding = rounding;
  return contact;
}

/// The contacts of two pairs: the first overlaps by 5 mm, the second by as much as rounding.
std::vector<Contact> two_pairs() {
  return {point_of(0, 1, 3, -2e-3), point_of(0, 1, 4, -5e-3), point_of(0, 1, 5, 1e-3), point_of(1, 2, 3, -rounding)};
}

TEST(KeptOverlaps, PairsAreListedOnce) {
  std::vector<StoredImpulse> impulses(4);
  impulses[0].key = {0, 1, 5};
  impulses[1].key = {0, 1, 6};
  impulses[2].key = {0, 2, 5};
  impulses[3].key = {1, 2, 5};
  std::vector<ShapePair> pairs{{7, 8}};
  list_pairs(impulses, pairs);
  EXPECT_EQ(pairs, (std::vector<ShapePair>{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(KeptOverlaps, APairThatOverlapsWithoutHavingMetIsKeptByItsDeepestPoint) {
  std::vector<KeptOverlap> kept;
  std::vector<Contact> contacts = two_pairs();
  keep_overlaps({}, {}, kept, contacts);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].shape_a, 0);
  EXPECT_EQ(kept[0].shape_b, 1);
  EXPECT_EQ(kept[0].depth, 5e-3);
  EXPECT_EQ(deepest(kept), 5e-3);
  EXPECT_DOUBLE_EQ(contacts[0].gap, 3e-3);
  EXPECT_EQ(contacts[1].gap, 0.0);
  EXPECT_DOUBLE_EQ(contacts[2].gap, 6e-3);
  EXPECT_DOUBLE_EQ(contacts[2].distance(), 1e-3);
  EXPECT_EQ(contacts[3].gap, -rounding);
  EXPECT_EQ(contacts[3].kept, 0.0);
}

TEST(KeptOverlaps, ThoseOfPairsThatHaveMetAreNotKept) {
  std::vector<KeptOverlap> kept;
  std::vector<Contact> contacts = two_pairs();
  const std::vector<ShapePair> met{{0, 1}};
  keep_overlaps({}, met, kept, contacts);
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(contacts[1].gap, -5e-3);
}

TEST(KeptOverlaps, ShrinkAndNeverGrow) {
  const std::vector<ShapePair> met{{0, 1}};
  for (const double before : {4e-3, 5e-3, 6e-3}) {
    std::vector<KeptOverlap> kept{{0, 1, before}};
    std::vector<Contact> contacts = two_pairs();
    keep_overlaps({}, met, kept, contacts);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].depth, std::min(before, 5e-3));
    EXPECT_DOUBLE_EQ(contacts[1].gap, kept[0].depth - 5e-3);
    contacts = two_pairs();
    keep_overlaps({}, met, kept, contacts);
    EXPECT_EQ(kept[0].depth, std::min(before, 5e-3)) << "a second search changes nothing";
  }
}

TEST(KeptOverlaps, AreDroppedWhenThePairCameApart) {
  std::vector<KeptOverlap> kept{{0, 1, 1e-3}, {0, 3, 1e-3}, {1, 2, 1e-3}};
  std::vector<Contact> contacts = {point_of(0, 1, 3, 1e-4), point_of(1, 2, 3, -0.5 * rounding)};
  keep_overlaps({}, {}, kept, contacts);
  EXPECT_TRUE(kept.empty()) << "one is open, one is far away, one is within rounding";
  EXPECT_EQ(contacts[0].gap, 1e-4);
}

TEST(KeptOverlaps, AreNoneWhereNothingWouldPushOrAPushIsAskedFor) {
  StepSettings push, soft, moreau_jean;
  push.initial_overlaps = InitialOverlaps::push;
  soft.contact = ContactModel::soft;
  moreau_jean.scheme = Scheme::moreau_jean;
  for (const StepSettings& settings : {push, soft, moreau_jean}) {
    std::vector<KeptOverlap> kept{{0, 1, 1e-3}};
    std::vector<Contact> contacts = two_pairs();
    keep_overlaps(settings, {}, kept, contacts);
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(contacts[1].gap, -5e-3);
  }
}

/// A floor, a wall that begins at x = 0 and two boxes of 20 cm: the first 5 mm inside the floor, the second on the
/// floor and 5 mm inside the wall.
SmallModel boxes_inside() {
  SmallModel setup;
  setup.model.materials[0].mu = 0.5;
  setup.add_floor();
  Body wall;
  wall.name = "wall";
  wall.mobility = Mobility::fixed;
  wall.shapes.push_back({Box{Vec3(0.05, 0.5, 0.5)}, Pose{}, 0});
  BodyState s;
  s.pose.position = Vec3(0.05, 0.0, 0.5);
  setup.add(wall, s);
  setup.add_box(Vec3::Constant(0.1), Vec3(-1.0, 0.0, 0.095));
  setup.add_box(Vec3::Constant(0.1), Vec3(-0.095, 0.0, 0.1));
  return setup;
}

TEST(KeptOverlaps, BodiesThatRestInThemStay) {
  for (const Restitution law : all_laws) {
    SmallModel setup = boxes_inside();
    const State start = setup.state;
    StepSettings settings;
    settings.restitution = law;
    Stepper stepper(setup.model, settings);
    for (int step = 0; step < 1000; ++step) {
      const StepReport& report = stepper.step(setup.model, setup.state);
      ASSERT_TRUE(report.certified) << report.reason;
      EXPECT_EQ(report.kept_overlaps, 2);
      EXPECT_NEAR(report.kept_depth, 5e-3, 1e-9);
      EXPECT_NEAR(report.penetration, 5e-3, 1e-9) << "what overlaps is told as it is";
      EXPECT_EQ(report.warning.empty(), step > 0) << report.warning;
    }
    for (const int body : {2, 3}) {
      EXPECT_LT((setup.state.bodies[body].pose.position - start.bodies[body].pose.position).norm(), 1e-9);
      EXPECT_LT(setup.state.bodies[body].linear.norm(), 1e-9);
    }
    const auto lowest = std::min_element(stepper.contacts().begin(), stepper.contacts().end(),
                                         [](const auto& a, const auto& b) { return a.gap < b.gap; });
    EXPECT_NEAR(lowest->gap, -5e-3, 1e-9);
  }
}

TEST(KeptOverlaps, AWarningNamesTheDeepestPair) {
  SmallModel setup = boxes_inside();
  setup.state.bodies[2].pose.position.z() = 0.094;
  Stepper stepper(setup.model, {});
  EXPECT_EQ(stepper.step(setup.model, setup.state).warning,
            "2 pairs of shapes overlap and are kept so, the deepest by 0.006 m: \"floor\" and \"box2\"");
}

TEST(KeptOverlaps, ABodyInsideAWallDoesNotEndFarAway) {
  for (const double depth : {0.02, 0.05, 0.1}) {
    SmallModel setup = boxes_inside();
    setup.state.bodies[3].pose.position.x() = -0.1 + depth;
    setup.state.bodies[3].angular = Vec3(0.3, 0.2, 0.1);
    Stepper stepper(setup.model, {});
    for (int step = 0; step < 1000; ++step) stepper.step(setup.model, setup.state);
    EXPECT_LT((setup.state.bodies[3].pose.position - Vec3(-0.1 + depth, 0.0, 0.1)).norm(), 0.05) << depth;
    EXPECT_LT(setup.state.bodies[3].linear.norm(), 0.1) << depth;
  }
}

/// The second box, without gravity, with a velocity along x: the wall is to its right.
double x_after(SmallModel& setup, Stepper& stepper, double velocity, int steps) {
  setup.state.bodies[3].linear.x() = velocity;
  for (int step = 0; step < steps; ++step) stepper.step(setup.model, setup.state);
  return setup.state.bodies[3].pose.position.x();
}

TEST(KeptOverlaps, WhatWasPulledOutDoesNotSinkInAgain) {
  SmallModel setup = boxes_inside();
  setup.model.gravity.setZero();
  setup.model.materials[0].mu = 0.0;
  Stepper stepper(setup.model, {});
  EXPECT_NEAR(x_after(setup, stepper, 0.1, 100), -0.095, 1e-9) << "no deeper";
  EXPECT_NEAR(x_after(setup, stepper, -0.1, 20), -0.097, 1e-9);
  EXPECT_NEAR(x_after(setup, stepper, 0.1, 100), -0.097, 1e-9) << "what is left is kept";
  EXPECT_NEAR(stepper.report().kept_depth, 5e-3, 1e-9) << "the other box has not moved";
  EXPECT_NEAR(stepper.contacts().front().gap, -5e-3, 1e-9);
  EXPECT_NEAR(x_after(setup, stepper, -0.1, 40), -0.101, 1e-9);
  EXPECT_EQ(stepper.report().kept_overlaps, 1);
  EXPECT_NEAR(x_after(setup, stepper, 0.1, 100), -0.1, 1e-9) << "and nothing when it was out";
}

TEST(KeptOverlaps, OverlapsThatAUserMakesAreKeptToo) {
  SmallModel setup = boxes_inside();
  Stepper stepper(setup.model, {});
  for (int step = 0; step < 10; ++step) stepper.step(setup.model, setup.state);
  setup.state.bodies[3].pose.position = Vec3(-0.805, 0.0, 0.1);  // into the other box
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_EQ(report.kept_overlaps, 2);
  EXPECT_NE(report.warning.find("\"box2\" and \"box3\""), std::string::npos) << report.warning;
  for (int step = 0; step < 500; ++step) stepper.step(setup.model, setup.state);
  EXPECT_NEAR(setup.state.bodies[3].pose.position.x(), -0.805, 1e-9);
}

TEST(KeptOverlaps, StepsOfAnyLengthKeepThem) {
  for (const Adaptive rule : {Adaptive::collision, Adaptive::error}) {
    SmallModel setup = boxes_inside();
    setup.add_box(Vec3::Constant(0.1), Vec3(-1.0, 0.0, 0.4));  // falls on the first
    StepSettings settings;
    settings.adaptive = rule;
    Stepper stepper(setup.model, settings);
    while (setup.state.time < 0.5) ASSERT_TRUE(stepper.step(setup.model, setup.state).certified);
    EXPECT_NEAR(setup.state.bodies[2].pose.position.z(), 0.095, 1e-6);
    EXPECT_NEAR(setup.state.bodies[3].pose.position.x(), -0.095, 1e-6);
    EXPECT_EQ(setup.state.overlaps.size(), 2U);
  }
}

TEST(KeptOverlaps, PushRemovesThemInOneStep) {
  SmallModel setup = boxes_inside();
  StepSettings settings;
  settings.initial_overlaps = InitialOverlaps::push;
  Stepper stepper(setup.model, settings);
  const StepReport& report = stepper.step(setup.model, setup.state);
  EXPECT_EQ(report.kept_overlaps, 0);
  EXPECT_TRUE(setup.state.overlaps.empty());
  EXPECT_NEAR(setup.state.bodies[2].pose.position.z(), 0.1, 1e-6);
  EXPECT_NEAR(setup.state.bodies[2].linear.z(), 5.0, 1e-3) << "depth/h";
}

}  // namespace
}  // namespace cardhouse
