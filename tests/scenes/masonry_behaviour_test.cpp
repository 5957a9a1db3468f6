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
  const RunFigures stands = run_scene("arch", thick, 0.5, 5e-3);
  EXPECT_LT(stands.displacement, 1e-6);
  EXPECT_EQ(stands.uncertified, 0);
  const RunFigures falls = run_scene("arch", thin, 0.3, 5e-3);
  EXPECT_GT(falls.displacement, 1e-3);  // and the motion grows: a mechanism, not creep
  EXPECT_GT(falls.end.bodies[0].linear.norm() + falls.end.bodies[50].linear.norm(), 1e-2);
}

/// The largest displacement of the arch's own stones.
double arch_displacement(const Scene& scene, const State& end) {
  double largest = 0.0;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    if (scene.model.bodies[i].name.rfind("voussoir", 0) != 0) continue;
    largest = std::max(largest, (end.bodies[i].pose.position - scene.initial.bodies[i].pose.position).norm());
  }
  return largest;
}

TEST(SlowArch, BearsBlocksOnItsKeystoneButNotAtItsLeg) {
  for (const char* kind : {"semicircle", "catenary"}) {
    Scene keystone = make_scene("arch_hit", {{"kind", kind}, {"target", "keystone"}});
    keystone.settings.step = 2e-3;
    // The blocks lie on the arch after about a second; a stone of 2 m radius may shift by millimetres.
    EXPECT_LT(arch_displacement(keystone, run_scene(keystone, 1.5).end), 0.02) << kind;
    Scene leg = make_scene("arch_hit", {{"kind", kind}, {"target", "leg"}});
    leg.settings.step = 2e-3;
    leg.settings.tolerance = 1e-6;
    EXPECT_GT(arch_displacement(leg, run_scene(leg, 1.0).end), 0.3) << kind;
  }
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
