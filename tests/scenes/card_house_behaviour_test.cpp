// The promises about card houses, at durations that a test suite can afford; benchmarks/acceptance runs them in full.
#include <gtest/gtest.h>

#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

using test::run_scene;
using test::RunFigures;

/// m: the promise is 50 µm in 10 s; a house that stands by exact friction moves a thousand times less in these times.
constexpr double standing = 5e-8;

TEST(SlowCardHouse, OfEverySizeStandsCertifiedAtOneMillisecond) {
  for (int levels = 2; levels <= 6; ++levels) {
    const RunFigures run = run_scene("card_house", {{"levels", std::to_string(levels)}}, 0.1);
    EXPECT_LT(run.displacement, standing) << levels << " levels";
    EXPECT_EQ(run.uncertified, 0) << levels << " levels";
    EXPECT_TRUE(run.same_contacts) << levels << " levels";
  }
}

TEST(SlowCardHouse, OfEverySizeStandsCertifiedAtTenMilliseconds) {
  for (int levels = 2; levels <= 6; levels += 2) {
    const RunFigures run = run_scene("card_house", {{"levels", std::to_string(levels)}}, 1.0, 1e-2);
    EXPECT_LT(run.displacement, 1e-6) << levels << " levels";  // ten times the step: a hundred times the free fall
    EXPECT_EQ(run.uncertified, 0) << levels << " levels";
  }
}

TEST(SlowCardHouse, KeepsItsContactsOverTenThousandSteps) {
  const RunFigures run = run_scene("card_house", {{"levels", "2"}}, 10.0);
  EXPECT_TRUE(run.same_contacts);
  EXPECT_EQ(run.uncertified, 0);
  EXPECT_LT(run.displacement, standing);
}

TEST(SlowCardHouse, StandsTurnedAndMovedOffTheOrigin) {
  const RunFigures run = run_scene("card_house", {{"levels", "3"}, {"yaw", "37"}, {"offset", "10"}}, 0.3);
  EXPECT_LT(run.displacement, standing);
  EXPECT_EQ(run.uncertified, 0);
}

TEST(SlowCardHouse, StandsWithThePolygonalCone) {
  Scene scene = make_scene("card_house", {{"levels", "2"}});
  scene.model.friction.polygon = true;
  const RunFigures run = run_scene(scene, 0.1);
  EXPECT_LT(run.displacement, standing);
  EXPECT_EQ(run.uncertified, 0);
}

TEST(SlowCardHouse, FallsWhenItIsTooSlippery) {
  const RunFigures run = run_scene("card_house", {{"levels", "2"}, {"mu", "0.2"}}, 0.2, 2e-3);
  EXPECT_GT(run.displacement, 0.01);
}

TEST(SlowCardHouse, FallsWithoutAnInnerCardOfItsLowestRow) {
  const RunFigures run = run_scene("card_house", {{"levels", "2"}, {"missing", "1"}}, 0.2, 2e-3);
  EXPECT_GT(run.displacement, 0.01);
}

}  // namespace
}  // namespace cardhouse
