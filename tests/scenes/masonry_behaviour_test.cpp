#include <gtest/gtest.h>

#include "scenes/run_scene.h"

namespace cardhouse {
namespace {

using test::run_scene;
using test::RunFigures;

TEST(SlowArch, OfEitherKindStandsCertified) {
  for (const char* kind : {"semicircle", "catenary"}) {
    const RunFigures run = run_scene("arch", {{"kind", kind}}, 0.1);
    EXPECT_LT(run.displacement, 1e-7) << kind;  // 2 m radius: round-off only
    EXPECT_EQ(run.uncertified, 0) << kind;
    EXPECT_TRUE(run.same_contacts) << kind;
  }
}

TEST(SlowArch, StandsJustAboveHeymansThicknessAndFallsJustBelow) {
  // 101 voussoirs, limit 0.1075 of the mean radius.
  const std::map<std::string, std::string> thick = {{"voussoirs", "101"}, {"thickness", "0.11"}};
  const std::map<std::string, std::string> thin = {{"voussoirs", "101"}, {"thickness", "0.10"}};
  const RunFigures stands = run_scene("arch", thick, 0.1, 1e-2, 1e-6);
  EXPECT_LT(stands.displacement, 1e-5);
  const RunFigures falls = run_scene("arch", thin, 0.2, 1e-2, 1e-6);
  EXPECT_GT(falls.displacement, 1e-3);  // and the motion grows: a mechanism, not creep
  EXPECT_GT(falls.end.bodies[0].linear.norm() + falls.end.bodies[50].linear.norm(), 1e-2);
}

TEST(SlowBoxStack, OfThirtyBoxesDoesNotMove) {
  const RunFigures run = run_scene("box_stack", {{"count", "30"}}, 0.5);
  EXPECT_LT(run.displacement, 1e-9);  // the promise is 1 µm in 20 s
  EXPECT_EQ(run.uncertified, 0);
  EXPECT_TRUE(run.same_contacts);
}

TEST(SlowBoxStack, WithAHeavyTopDoesNotSink) {
  const RunFigures run = run_scene("box_stack", {{"count", "10"}, {"ratio", "100"}}, 0.3);
  EXPECT_LT(run.displacement, 1e-8);
  EXPECT_EQ(run.uncertified, 0);
}

TEST(SlowJam, HoldsAboveTheCriticalFrictionAndSlipsBelow) {
  EXPECT_LT(run_scene("jam", {{"mu", "0.6"}}, 0.6, 2e-3).displacement, 0.15);
  EXPECT_GT(run_scene("jam", {{"mu", "0.1"}}, 0.6, 2e-3).displacement, 0.15);
}

}  // namespace
}  // namespace cardhouse
