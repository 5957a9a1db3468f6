#include <gtest/gtest.h>

#include "cardhouse/contact/natural_map.h"
#include "cardhouse/solvers/solver.h"
#include "scenes/run_scene.h"
#include "scenes/thrown_heap.h"

namespace cardhouse {
namespace {

/// Friction holds rocks at more points than they have freedoms, and at mu 1 hardly any slips: problems that block
/// methods leave at 1e-6.
TEST(SlowPile, OfRocksAtRestIsSolvedToNearlyAllDigits) {
  for (const char* seed : {"1", "2", "3"}) {
    Scene scene = make_scene("rock_pile", {{"count", "30"}, {"seed", seed}});
    scene.settings.tolerance = 1e-6;
    World world(scene);
    while (world.state().time < 1.0) world.step();
    const ContactProblem problem = world.last_problem().problem;
    ASSERT_GT(problem.groups(), 60) << "seed " << seed;
    SolverOptions options;
    options.measure = SolverOptions::Measure::natural_map;
    ContactSolution solution{VecX::Zero(problem.rows()), VecX()};
    make_solver("auto", options)->solve(problem, solution);
    // Most end at 1e-8; one in ten stays a few times above it.
    EXPECT_LE(natural_map_error(problem, solution.r).scaled, 1e-7) << "seed " << seed;
  }
}

using test::run_scene;
using test::RunFigures;

TEST(SlowPile, IsTheSameBitForBitOnAnyNumberOfThreads) {
  Scene scene = make_scene("sphere_pile", {{"count", "30"}});
  scene.settings.tolerance = 1e-6;
  scene.settings.threads = 1;
  const std::uint64_t one = state_hash(run_scene(scene, 0.4).end);
  for (int threads : {2, 5}) {
    scene.settings.threads = threads;
    EXPECT_EQ(state_hash(run_scene(scene, 0.4).end), one) << threads << " threads";
  }
}

TEST(SlowPile, OfPlanarDisksNeverGainsEnergy) {
  const RunFigures run = run_scene("cannonball", {{"base", "4"}, {"mu", "0.2"}}, 1.0, 5e-3);
  EXPECT_LE(run.largest_gain, 1e-12 * run.initial_energy);
  EXPECT_EQ(run.uncertified, 0);
}

/// Anitescu & Hart 2003, Table 1, with 210 disks: all disks touch and none has slid yet, so that impulses are far from
/// unique. Only other starts than where Newton was stuck end with a certificate here.
TEST(SlowPile, OfManyDisksAtRestHasACertifiedFirstStep) {
  for (const char* mu : {"0.1", "0.2", "0.4", "0.5", "0.6", "0.8"}) {
    const RunFigures run = run_scene("cannonball", {{"base", "20"}, {"mu", mu}}, 5e-3, 5e-3);
    EXPECT_EQ(run.uncertified, 0) << "mu " << mu;
  }
}

TEST(SlowPile, OfTumblingBoxesGainsLittleEnergyAndLessWithSmallerSteps) {
  double gained[2];
  const double steps[2] = {5e-3, 1e-3};
  for (int k = 0; k < 2; ++k) {
    const RunFigures run = run_scene("box_pile", {{"count", "8"}}, 0.7, steps[k], 1e-6);
    EXPECT_LT(run.total_gain, 1e-3 * run.dissipated);
    gained[k] = run.total_gain;
  }
  EXPECT_LE(gained[1], gained[0] + 1e-12);
}

TEST(BrazilNut, StaysInItsBinAtTheCoarseStepThatWasPublished) {
  Scene scene = make_scene("brazil_nut", {{"count", "41"}, {"columns", "9"}, {"restitution", "0.5"}});
  scene.settings.solver = "gauss-seidel";
  scene.settings.tolerance = 1e-2;  // as the reproduction: sweeps end soon, and nothing is thrown out
  World world(scene);
  const double half_width = 0.5 * 9 * 2.02 * 0.75;
  while (world.state().time < 6.0) {
    EXPECT_TRUE(world.step().certified);
    const double floor = world.state().bodies[0].pose.position.z();
    for (std::size_t i = 1; i < scene.model.bodies.size(); ++i) {
      const Vec3& place = world.state().bodies[i].pose.position;
      ASSERT_LT(std::abs(place.x()), half_width) << scene.model.bodies[i].name;
      ASSERT_GT(place.z(), floor) << scene.model.bodies[i].name;
    }
  }
}

/// A rock that is let go by one corner comes down on another within the step, while the rest of the heap is still being
/// solved. The certificate allows 1e-8 of the smallest rock's size of 0.1 m.
TEST(ThrownHeap, ACornerThatComesDownWithinAStepIsSeen) {
  World world(test::thrown_heap(120, 8));
  for (int k = 0; k < 130; ++k) {
    const StepReport& report = world.step();
    ASSERT_TRUE(report.certified) << "step " << k;
    ASSERT_LE(report.penetration, 1e-8 * 0.1) << "step " << k;
  }
}

}  // namespace
}  // namespace cardhouse
