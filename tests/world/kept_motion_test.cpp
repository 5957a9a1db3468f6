// What moves without loss goes on: energies are judged with velocities and positions of one time, at h = 1 ms. The
// program benchmarks/gates.cpp judges the same motions at other steps too.
#include <gtest/gtest.h>

#include "world/motion_scenes.h"
#include "world/rim_reference.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double motion_h = 1e-3;  // s

/// The certificate allows gaps of 1e-8 of the size, which is half the diagonal of the body's box, beyond what a step
/// began with: twice that in all.
void expect_good_steps(const EnergyCourse& course, double size) {
  EXPECT_LE(course.penetration, 2e-8 * size);
  EXPECT_EQ(course.uncertified, 0);
}

/// The reference is right: for a small tilt an ellipse is a pendulum with the stiffness m g (a² − b²)/b.
TEST(RockingReference, IsThePendulumsPeriodForSmallTilts) {
  const RockingEllipse ellipse{.long_axis = 1.0, .short_axis = 0.2, .tilt = 1e-4};
  const double pendulum = 2.0 * std::numbers::pi * std::sqrt(0.25 * 1.04 / (gate_gravity * 0.96 / 0.2));
  EXPECT_NEAR(rocking_period(ellipse), pendulum, 1e-6 * pendulum) << "the next term is of second order in the tilt";
}

TEST(SynchronisedEnergy, OfAFreeFlightDoesNotChange) {
  Scene scene = empty_scene(0.0, motion_h);
  BodyState start;
  start.linear = Vec3(1.0, 2.0, 3.0);
  start.angular = Vec3(0.3, 2.0, 0.1);
  put_solid(scene, "box", {shape_at(Box{Vec3(0.1, 0.2, 0.3)})}, 1000.0, start);
  const EnergyCourse course = follow_energy(scene, 1.0);
  // The start's velocity is taken for that of half a step earlier, which shifts all later energies alike.
  for (std::size_t k = 2; k < course.energies.size(); ++k) {
    // The free rotation is of fourth order: a turn of 2e-3 rad in a step lets the energy swing by some 1e-11.
    ASSERT_NEAR(course.energies[k], course.energies[1], 1e-9 * course.most_kinetic);
  }
}

TEST(KeptMotion, ARockingEllipseKeepsItsSwingAndItsPeriod) {
  const RockingEllipse ellipse;
  const RockingFigures figures = rock(rocking_ellipse(ellipse, motion_h), ellipse, 10.0);
  EXPECT_GE(figures.kept, 0.999);
  EXPECT_LE(figures.kept, 1.001);
  EXPECT_NEAR(figures.period_error, 0.0, 1e-3);
  expect_good_steps(figures.course, std::hypot(1.0, 0.2));
}

/// What is of second order in h swings, by some 1e-5 at 1 ms. A drift of ten times that would add up.
TEST(KeptMotion, WhatRollsAndSwingsDoesNotDrift) {
  for (const LosslessMotion& motion : lossless_motions()) {
    SCOPED_TRACE(motion.name);
    const EnergyCourse course = follow_energy(motion.make(motion_h), 10.0);
    EXPECT_NEAR(course.drift(), 0.0, 1e-4);
    expect_good_steps(course, motion.size);
  }
}

TEST(KeptMotion, EulersDiskKeepsItsEnergy) {
  const EnergyCourse course = follow_energy(eulers_disk(motion_h), 2.0);
  EXPECT_NEAR(course.left(), 1.0, 1e-3);
  expect_good_steps(course, eulers_disk_size);
}

/// The part of the energy that friction leaves after 2 s, by the smooth equations (rim_reference.h) with slip speeds
/// down to 1e-6 m/s.
constexpr double coin_at_40_left = 0.99759;
constexpr double coin_flicked_left = 0.9998;

/// The reference itself: a disk that rolls around with its centre at rest goes on so.
TEST(RimReference, KeepsEulersDisk) {
  const Scene scene = eulers_disk(motion_h);
  const BodyState& disk = scene.initial.bodies.back();
  const RimState start{.velocity = disk.linear, .axis = disk.pose.orientation * Vec3::UnitZ(), .angular = disk.angular};
  const RimCourse course = follow_rim(rim_disk_of(scene.model.bodies.back(), 1.0), start, 0.1, 1e-6);
  EXPECT_TRUE(course.keeps_contact);
  EXPECT_NEAR(course.left, 1.0, 1e-6) << "slip speeds of 1e-5 m/s take a little";
}

TEST(KeptMotion, CoinsLoseWhatFrictionTakes) {
  const EnergyCourse spun = follow_energy(coin_at_40(motion_h), 2.0);
  EXPECT_NEAR(spun.left(), coin_at_40_left, 1e-3);
  expect_good_steps(spun, coin_size);
  const EnergyCourse flicked = follow_energy(coin_flicked(motion_h), 2.0);
  EXPECT_NEAR(flicked.left(), coin_flicked_left, 1e-3);
  expect_good_steps(flicked, coin_size);
}

TEST(KeptMotion, ABoxThatStandsStays) {
  Scene scene = on_level_ground(0.5, motion_h);
  BodyState start;
  start.pose.position.z() = 0.1;
  put_solid(scene, "box", {shape_at(Box{Vec3(0.2, 0.2, 0.1)})}, 1000.0, start);
  const EnergyCourse course = follow_energy(scene, 1.0);
  const BodyState& end = course.end.bodies.back();
  EXPECT_LE((end.pose.position - start.pose.position).norm(), 1e-15);
  EXPECT_LE(vector_from_rotation(end.pose.orientation).norm(), 1e-15);
  EXPECT_EQ(course.uncertified, 0);
}

}  // namespace
}  // namespace cardhouse
