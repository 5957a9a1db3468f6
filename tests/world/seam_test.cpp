// Floors of flush tiles are one floor: nothing that slides or rolls over them may feel a seam.
#include <gtest/gtest.h>

#include "world/seam_scenes.h"

namespace cardhouse {
namespace {

using namespace test;

constexpr double seam_h = 1e-3;  // s
constexpr std::array seam_speeds{0.1, 1.0, 2.0, 10.0, 50.0};

/// m: the certificate allows gaps of 1e-8 of the size, and no slider is larger than 0.5 m.
constexpr double seam_lift = 1e-8;

std::string case_name(const TiledFloor& floor, const Slider& slider, double speed) {
  return std::string(slider.name) + " over " + floor.name + " at " + std::to_string(speed) + " m/s";
}

/// Without friction nothing acts along the floor. Slow sliders are judged by 1e-9 m/s: faces that are tilted by gap
/// rounding (1e-9 of the size) push along by that part of their weight.
void expect_speed_is_kept(const TiledFloor& floor, const Slider& slider, double speed, int most_steps,
                          double phase = 0.0) {
  SCOPED_TRACE(case_name(floor, slider, speed) + ", phase " + std::to_string(phase));
  const int steps = steps_for(way_ahead(floor, slider), speed, seam_h, most_steps);
  const SlideFigures figures = slide(over_seams(floor, slider, speed, 0.0, seam_h, phase), steps);
  EXPECT_LE(figures.changed, 1e-9 * std::max(speed, 1.0));
  EXPECT_LE(figures.lift, seam_lift);
  EXPECT_EQ(figures.uncertified, 0);
}

TEST(SeamWithoutFriction, ABoxKeepsItsSpeedOverTwoBlocks) {
  for (const double speed : seam_speeds) {
    for (const double phase : {0.0, 0.3, 0.7}) expect_speed_is_kept(two_blocks(), box_slider(), speed, 1000, phase);
  }
  expect_speed_is_kept(two_blocks(), box_slider(), 0.1, 5000);  // its rear passes the seam too
}

TEST(SlowSeamWithoutFriction, EverySliderKeepsItsSpeedOnEveryFloor) {
  for (const TiledFloor& floor : spatial_floors()) {
    for (const Slider& slider : spatial_sliders()) expect_speed_is_kept(floor, slider, 2.0, 500);  // two seams
  }
}

TEST(SlowSeamWithoutFriction, EverySliderKeepsItsSpeedAtEverySpeed) {
  for (const Slider& slider : spatial_sliders()) {
    for (const double speed : seam_speeds) expect_speed_is_kept(twenty_tiles(), slider, speed, 1000);
  }
}

TEST(SlowSeamWithoutFriction, EveryFigureKeepsItsSpeedInThePlane) {
  for (const TiledFloor& floor : planar_floors()) {
    for (const Slider& slider : planar_sliders()) {
      for (const double speed : seam_speeds) expect_speed_is_kept(floor, slider, speed, 600);
    }
  }
}

/// Where the last step brakes less than the others, the box stops off by up to mu g h²/8; the rest is the solver's.
void expect_box_stops(const TiledFloor& floor, const Slider& slider, double speed) {
  SCOPED_TRACE(case_name(floor, slider, speed));
  constexpr double mu = 0.3;
  const double stopped_after = speed / (mu * gate_gravity);
  const SlideFigures figures =
      slide(over_seams(floor, slider, speed, mu), static_cast<int>(stopped_after / seam_h) + 20);
  const double rounding_of_time = 0.125 * mu * gate_gravity * seam_h * seam_h;
  const double wanted = braking_distance(speed, mu, seam_h);
  EXPECT_NEAR(figures.travelled, wanted, rounding_of_time + 1e-7 * wanted);
  EXPECT_LE(figures.end_speed, 1e-9);
  EXPECT_LE(figures.lift, seam_lift);
  EXPECT_EQ(figures.uncertified, 0);
}

TEST(SeamWithFriction, BoxesStopWhereTheyWouldOnOneFloor) {
  for (const double speed : {0.1, 1.0, 2.0, 10.0}) {
    expect_box_stops(forty_tiles(), box_slider(), speed);
    expect_box_stops(forty_tiles(true), planar_box_slider(), speed);
  }
}

/// Friction turns the body until it rolls. The contact's momentum about the floor is kept, so that the part of the
/// speed that is left does not depend on mu. Each step that slides is solved to 1e-8 of the speed, some hundred of
/// them.
void expect_body_rolls(const TiledFloor& floor, const Slider& slider, double speed) {
  SCOPED_TRACE(case_name(floor, slider, speed));
  constexpr double mu = 0.3;
  const double sliding = (1.0 - slider.rolling_part) * speed / (mu * gate_gravity);  // s
  const int steps = static_cast<int>(sliding / seam_h) + steps_for(2.0, speed, seam_h, 1000);
  const SlideFigures figures = slide(over_seams(floor, slider, speed, mu), steps);
  EXPECT_NEAR(figures.end_speed, slider.rolling_part * speed, 1e-6 * speed);
  EXPECT_LE(figures.lift, seam_lift);
  EXPECT_EQ(figures.uncertified, 0);
}

TEST(SeamWithFriction, SpheresCylindersAndDisksEndRolling) {
  for (const double speed : {0.1, 1.0, 2.0, 10.0}) {
    expect_body_rolls(forty_tiles(), sphere_slider(), speed);
    expect_body_rolls(forty_tiles(), lying_cylinder_slider(), speed);
    expect_body_rolls(forty_tiles(true), disk_slider(), speed);
  }
}

/// Where there is no seam, the same judgement is passed: else the tests above would judge something else.
TEST(SeamControl, OneBlockPassesTheSameJudgement) {
  for (const double speed : {0.1, 2.0, 50.0}) {
    for (const Slider& slider : spatial_sliders()) expect_speed_is_kept(one_block(), slider, speed, 200);
    for (const Slider& slider : planar_sliders()) expect_speed_is_kept(one_block(true), slider, speed, 200);
  }
  expect_box_stops(one_block(), box_slider(), 2.0);
  expect_box_stops(one_block(true), planar_box_slider(), 2.0);
  expect_body_rolls(one_block(), sphere_slider(), 2.0);
  expect_body_rolls(one_block(), lying_cylinder_slider(), 2.0);
  expect_body_rolls(one_block(true), disk_slider(), 2.0);
}

}  // namespace
}  // namespace cardhouse
