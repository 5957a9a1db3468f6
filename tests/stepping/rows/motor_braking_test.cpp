#include "cardhouse/stepping/rows/motor_braking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

TEST(BrakingSpeed, ComesToRestWhereItIsSentAndLosesLittleMoreThanTheDecelerationInAStep) {
  const double h = 1e-3;
  for (const double a : {0.1, 2.5, 300.0}) {
    for (const double way : {1e-7, 3.3e-4, 0.0123, 1.0}) {
      double left = way;
      double speed = braking_speed(left, a, h);
      int steps = 0;
      while (left > 1e-12 && steps < 20000) {
        left -= h * speed;
        const double next = braking_speed(left, a, h);
        // m (3 − m)/2 of a h where the last step takes over, 9/8 at its largest; a h before.
        const double most = next < a * h ? 9.0 / 8.0 : 1.0;
        EXPECT_LE(speed - next, most * a * h * (1.0 + 1e-9)) << a << " " << left;
        speed = next;
        ++steps;
        ASSERT_GE(left, -1e-12);
      }
      EXPECT_LT(steps, 20000) << a << " " << way;
      // No slower than need be: a fall's time from there, and a step or two.
      EXPECT_LT(steps * h, std::sqrt(2.0 * way / a) + 2.0 * h) << a << " " << way;
    }
  }
}

TEST(BrakingSpeed, ArrivesWithinTheStepWhereNothingLimitsTheForce) {
  EXPECT_DOUBLE_EQ(braking_speed(0.2, std::numeric_limits<double>::infinity(), 0.01), 20.0);
  EXPECT_DOUBLE_EQ(braking_speed(0.2, 0.0, 0.01), 20.0);
}

}  // namespace
}  // namespace cardhouse
