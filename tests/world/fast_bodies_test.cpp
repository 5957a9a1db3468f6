// Bodies that move farther in a step than things are thick: they neither feel what they miss nor pass what they hit.
#include <gtest/gtest.h>

#include "world/fast_scenes.h"

namespace cardhouse {
namespace {

using namespace test;

TEST(FastBodies, ANearMissIsNotFelt) {
  for (const double phase : {0.0, 0.2, 0.4, 0.6, 0.8}) {
    EXPECT_LE(change_of_velocity(near_miss(phase), 20), 1e-12) << "phase " << phase << "; nothing touches the ball";
  }
}

/// Uncertified steps must say why.
void expect_no_certified_crossing(const std::optional<Crossing>& crossing) {
  if (!crossing) return;
  EXPECT_FALSE(crossing->certified);
  EXPECT_FALSE(crossing->reason.empty());
}

TEST(FastBodies, AHingedRodDoesNotJumpAPost) {
  for (const RodAndPost& setting : rods_and_posts()) {
    SCOPED_TRACE((setting.planar ? "plane, " : "space, ") + std::to_string(setting.turn) + " rad per step, post at " +
                 std::to_string(setting.post));
    expect_no_certified_crossing(rod_jumps(hinged_rod(setting), setting.post, 8));
  }
}

void expect_no_plate_is_crossed(bool dynamic) {
  for (const BallAndPlate& setting : balls_and_plates(dynamic)) {
    SCOPED_TRACE(std::to_string(setting.incidence) + " rad, phase " + std::to_string(setting.phase) + ", aside " +
                 std::to_string(setting.aside));
    expect_no_certified_crossing(ball_crosses(ball_at_plate(setting), 8));
  }
}

TEST(FastBodies, AThinFixedPlateIsNotCrossed) {
  expect_no_plate_is_crossed(false);
}

TEST(FastBodies, AThinPlateThatCanMoveIsNotCrossed) {
  expect_no_plate_is_crossed(true);
}

/// The certificate allows 1e-8 of the ball's size (√3 times its radius).
TEST(FastBodies, AHugeForceAlongTheFloorDoesNotHideAFallThroughIt) {
  for (const double mu : {0.0, 0.5}) {
    std::string reason;
    const double depth = certified_depth(sideways_gravity(mu), 50, reason);
    EXPECT_LE(depth, 1e-8 * 0.1 * std::sqrt(3.0)) << "mu " << mu << "; " << reason;
  }
}

}  // namespace
}  // namespace cardhouse
