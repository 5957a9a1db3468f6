#include "cardhouse/io/problem_dump.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cardhouse/contact/residual.h"
#include "cardhouse/io/problem_file.h"
#include "io/recording_files.h"
#include "io/same_problem.h"

namespace cardhouse::testing {
namespace {

/// Boxes that slide on a floor, far apart: an island each.
World sliding_boxes(const std::string& solver = "auto") {
  Scene scene;
  Body floor;
  floor.mobility = Mobility::fixed;
  floor.shapes.push_back({HalfSpace{}, Pose{}, 0});
  scene.model.bodies = {floor};
  scene.initial.bodies = {BodyState{}};
  for (double x : {3.0, -2.0, 0.5}) {
    Body box;
    box.name = "box";
    box.shapes.push_back({Box{Vec3(0.1, 0.15, 0.05)}, Pose{}, 0});
    BodyState state;
    state.pose.position = Vec3(x, 0.1 * x, 0.05);
    state.linear = Vec3(0.3, x, 0.0);
    set_density(box, state, 700.0);
    scene.model.bodies.push_back(box);
    scene.initial.bodies.push_back(state);
  }
  scene.settings.solver = solver;
  return World(scene);
}

struct Dump : public ::testing::Test {
  TemporaryFolder folder;

  void run(World& world, ProblemDump& dump, int steps) {
    for (int i = 0; i < steps; ++i) {
      world.step();
      dump.see(world);
    }
    dump.finish();
  }
};

TEST_F(Dump, OfAStepReadsBackBitForBit) {
  World world = sliding_boxes();
  ProblemDump dump(ProblemDump::Which::step, 4, folder / "deep/er", "boxes");
  run(world, dump, 4);
  ASSERT_EQ(dump.files().size(), 1u);
  EXPECT_EQ(dump.files()[0], folder / "deep/er/boxes-step-000004.hdf5");
  const StepProblem kept = world.last_problem();
  EXPECT_EQ(kept.problem.a.blocks(), 3);
  EXPECT_EQ(kept.problem.groups(), 12);
  expect_same(kept.problem, read_problem(dump.files()[0]));
  EXPECT_TRUE(same_bits(kept.guess, read_problem_guess(dump.files()[0]).value()));
}

TEST_F(Dump, OfTheWorstStepIsThatWithTheLargestResidual) {
  World world = sliding_boxes();
  ProblemDump dump(ProblemDump::Which::worst, 0, folder / "worst", "boxes");
  double largest = -1.0;
  std::int64_t step = 0;
  StepProblem expected;
  for (int i = 0; i < 12; ++i) {
    world.step();
    dump.see(world);
    if (world.last_report().certificate.residual <= largest) continue;
    largest = world.last_report().certificate.residual;
    step = world.state().step;
    expected = world.last_problem();
  }
  EXPECT_TRUE(dump.files().empty());  // it may still be surpassed
  dump.finish();
  ASSERT_EQ(dump.files().size(), 1u);
  EXPECT_EQ(dump.files()[0].filename(), fmt::format("boxes-step-{:06}.hdf5", step));
  expect_same(expected.problem, read_problem(dump.files()[0]));
}

TEST_F(Dump, OfUncertifiedStepsWritesEachOfThem) {
  World world = sliding_boxes("projected-gauss-seidel");  // friction in a box is not Coulomb's askew
  ProblemDump dump(ProblemDump::Which::uncertified, 0, folder / "all", "boxes");
  run(world, dump, 3);
  EXPECT_EQ(dump.files().size(), 3u);
}

TEST_F(Dump, WithNothingToWriteMakesNoFolder) {
  World world = sliding_boxes();
  ProblemDump dump(ProblemDump::Which::uncertified, 0, folder / "none", "boxes");
  run(world, dump, 3);
  EXPECT_TRUE(dump.files().empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace
}  // namespace cardhouse::testing
