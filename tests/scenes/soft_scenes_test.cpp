// The library's scenes with soft contacts: the same scenes, one word changed.
#include <gtest/gtest.h>

#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

struct Case {
  const char* name;
  double sinks;  ///< m: how far bodies may move while their springs take up the load
};

TEST(SoftScenes, StandWhereTheHardOnesStand) {
  // A stack's springs add up; by default all that moves sinks in by 1e-4 of the smallest body.
  for (const Case& c : {Case{"incline", 1e-4}, {"box_stack", 1e-3}, {"card_house", 1e-4}, {"arch", 1e-3}}) {
    Scene scene = make_scene(c.name, {});
    scene.settings.contact = ContactModel::soft;
    const test::RunFigures run = test::run_scene(scene, 0.15);
    SCOPED_TRACE(c.name);
    EXPECT_EQ(run.uncertified, 0);
    EXPECT_LT(run.displacement, c.sinks);
    EXPECT_GT(run.displacement, 0.0);
  }
}

TEST(SoftScenes, SlideAsFarAsTheHardOnes) {
  Scene scene = make_scene("sliding_block", {{"speed", "1"}});
  scene.settings.contact = ContactModel::soft;
  const test::RunFigures run = test::run_scene(scene, scene.duration);
  EXPECT_EQ(run.uncertified, 0);
  EXPECT_NEAR(run.displacement, 1.0 / (2.0 * 0.3 * 9.81), 2e-3);  // v²/(2 mu g), to v h and the springs' stretch
}

}  // namespace
}  // namespace cardhouse
