#include "cardhouse/report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cardhouse {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Two dynamic bodies and a fixed one, h = 0.25 s.
Scene small_scene() {
  Scene scene;
  scene.name = "small";
  scene.settings.step = 0.25;
  scene.model.bodies.resize(3);
  for (Body& body : scene.model.bodies) body.mass = 1.0;
  scene.model.bodies[2].mobility = Mobility::fixed;
  scene.initial.bodies.resize(3);
  return scene;
}

State moved(const Scene& scene, std::int64_t step, double distance) {
  State state = scene.initial;
  state.step = step;
  state.time = static_cast<double>(step) * scene.settings.step;
  state.bodies[1].pose.position.x() = distance;
  return state;
}

Energy energy_of_total(double total) {
  Energy energy;
  energy.potential = total;
  return energy;
}

/// The summary after steps that put body 1 at the given distances.
RunSummary run_through(const Scene& scene, const std::vector<double>& distances) {
  RunStatistics statistics(scene, scene.initial, {});
  State state = scene.initial;
  for (const double distance : distances) {
    state = moved(scene, state.step + 1, distance);
    statistics.add_step(state, {}, {});
  }
  return statistics.summary(RunEnd::done, state);
}

TEST(RunStatistics, CountsDynamicBodiesAndTheirDofs) {
  const RunSummary summary = run_through(small_scene(), {});
  EXPECT_EQ(summary.bodies, 2);
  EXPECT_EQ(summary.dofs, 12);
}

TEST(RunStatistics, KeepsTheLargestDisplacementEvenWhenTheBodyComesBack) {
  EXPECT_DOUBLE_EQ(run_through(small_scene(), {0.1, 0.5, 0.2}).max_displacement, 0.5);
}

TEST(RunStatistics, NamesTheBodyThatMovedFarthest) {
  Scene scene = small_scene();
  scene.model.bodies[0].name = "stays";
  scene.model.bodies[1].name = "goes";
  EXPECT_EQ(run_through(scene, {0.1, 0.5, 0.2}).farthest_body, "goes");
  EXPECT_EQ(run_through(scene, {0.0}).farthest_body, "");
}

TEST(RunStatistics, ANodeThatMovesIsADisplacementThoughTheCentreStays) {
  Scene scene = small_scene();
  auto network = std::make_shared<NodeNetwork>();
  network->masses = {1.0, 1.0};
  VecX places(6);
  places << 0.0, 0.0, 1.0, 1.0, 0.0, 1.0;
  set_network(network, places, VecX::Zero(6), scene.model.bodies[0], scene.initial.bodies[0]);
  scene.model.bodies[0].name = "net";
  RunStatistics statistics(scene, scene.initial, {});
  State state = moved(scene, 1, 0.1);
  state.bodies[0].nodes[0] -= 0.25;
  state.bodies[0].nodes[3] += 0.25;
  statistics.add_step(state, {}, {});
  const RunSummary summary = statistics.summary(RunEnd::done, state);
  EXPECT_DOUBLE_EQ(summary.max_displacement, 0.25);
  EXPECT_EQ(summary.farthest_body, "net");
}

TEST(RunStatistics, SumsTheImpulsesFromOutside) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  StepReport report;
  report.impulse = {Vec3(1.0, 0.0, 0.0), Vec3(0.0, 2.0, 0.0)};
  report.momentum = {Vec3(1.0, 0.0, 0.0), Vec3(0.0, 2.0, 0.5)};
  statistics.add_step(moved(scene, 1, 0.0), report, {});
  report.momentum.linear.x() = 2.0;
  statistics.add_step(moved(scene, 2, 0.0), report, {});
  const RunSummary summary = statistics.summary(RunEnd::done, moved(scene, 2, 0.0));
  EXPECT_EQ(summary.momentum.outside.linear, Vec3(2.0, 0.0, 0.0));
  EXPECT_EQ(summary.momentum.outside.angular, Vec3(0.0, 4.0, 0.0));
  EXPECT_EQ(summary.momentum.final.angular, Vec3(0.0, 2.0, 0.5));
  EXPECT_TRUE(summary.momentum.unexplained().linear.isZero());
}

TEST(RunStatistics, IgnoresTheMotionOfBodiesThatAreNotDynamic) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  State state = moved(scene, 1, 0.0);
  state.bodies[2].pose.position.z() = 7.0;
  statistics.add_step(state, {}, {});
  EXPECT_EQ(statistics.summary(RunEnd::done, state).max_displacement, 0.0);
}

TEST(RunStatistics, MeasuresFromThePoseAtOneSecond) {
  const RunSummary summary = run_through(small_scene(), {0.1, 0.2, 0.3, 0.4, 0.45, 0.38});
  ASSERT_TRUE(summary.max_displacement_after_1s.has_value());
  EXPECT_NEAR(*summary.max_displacement_after_1s, 0.05, 1e-15);  // two roundings of numbers below 1
}

TEST(RunStatistics, HasNoDisplacementAfterOneSecondInAShorterRun) {
  EXPECT_FALSE(run_through(small_scene(), {0.1, 0.2, 0.3}).max_displacement_after_1s.has_value());
  EXPECT_FALSE(run_through(small_scene(), {0.1, 0.2, 0.3, 0.4}).max_displacement_after_1s.has_value()) << "at 1 s";
  EXPECT_TRUE(run_through(small_scene(), {0.1, 0.2, 0.3, 0.4, 0.4}).max_displacement_after_1s.has_value());
}

TEST(RunStatistics, HasNoDisplacementAfterOneSecondWhenTheRunGoesOnFromALaterState) {
  const Scene scene = small_scene();
  const State start = moved(scene, 40, 0.1);
  RunStatistics statistics(scene, start, {});
  const State state = moved(scene, 41, 0.2);
  statistics.add_step(state, {}, {});
  const RunSummary summary = statistics.summary(RunEnd::done, state);
  EXPECT_FALSE(summary.max_displacement_after_1s.has_value());
  EXPECT_DOUBLE_EQ(summary.max_displacement, 0.2) << "counts from the scene's start, not from the restored state";
  EXPECT_EQ(summary.first_step, 40);
  EXPECT_EQ(summary.steps, 1);
}

TEST(RunStatistics, CountsStepsOfAnyLengthAndThoseWithRelaxedOverlaps) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  State state = scene.initial;
  for (const double length : {0.25, 0.01, 0.1}) {
    ++state.step;
    state.time += length;
    StepReport report;
    report.length = length;
    report.rejected = length < 0.2 ? 2 : 0;
    report.relaxed_rows = length < 0.05 ? 3 : 0;
    report.parts = length < 0.05 ? 1 : 4;
    report.hairline_rows = length < 0.05 ? 0 : 2;
    report.hairline_gap = length * 1e-6;
    report.overlap_left = length < 0.05 ? 1e-3 : 0.0;
    report.kept_overlaps = length < 0.05 ? 1 : 2;
    report.kept_depth = length * 1e-3;
    statistics.add_step(state, report, {});
  }
  const RunSummary summary = statistics.summary(RunEnd::done, state);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_EQ(summary.step, 0.25);
  EXPECT_EQ(summary.least_length, 0.01);
  EXPECT_EQ(summary.most_length, 0.25);
  EXPECT_EQ(summary.rejected, 4);
  EXPECT_EQ(summary.relaxed_steps, 1);
  EXPECT_EQ(summary.overlap_left, 1e-3);
  EXPECT_EQ(summary.kept_overlaps, 2);
  EXPECT_DOUBLE_EQ(summary.kept_depth, 0.25e-3);
  EXPECT_EQ(summary.split_steps, 2);
  EXPECT_EQ(summary.most_parts, 4);
  EXPECT_EQ(summary.hairline_steps, 2);
  EXPECT_DOUBLE_EQ(summary.hairline_gap, 0.25e-6);
  EXPECT_DOUBLE_EQ(summary.time, 0.36);
}

TEST(RunStatistics, TellsTheLargestAngleOfRotation) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  State state = moved(scene, 1, 0.0);
  state.bodies[0].pose.orientation = Eigen::AngleAxisd(0.3, Vec3::UnitY());
  statistics.add_step(state, {}, {});
  state.bodies[0].pose.orientation.coeffs() *= -1.0;  // the same rotation
  statistics.add_step(state, {}, {});
  EXPECT_NEAR(statistics.summary(RunEnd::done, state).max_rotation, 0.3, 1e-14);  // round-off of sin, cos and atan2
}

TEST(RunStatistics, CountsEnergyRisesOnly) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, energy_of_total(10.0));
  for (const double total : {9.0, 9.5, 8.0, 8.25}) statistics.add_step(scene.initial, {}, energy_of_total(total));
  const RunSummary summary = statistics.summary(RunEnd::done, scene.initial);
  EXPECT_DOUBLE_EQ(summary.energy.initial, 10.0);
  EXPECT_DOUBLE_EQ(summary.energy.final, 8.25);
  EXPECT_DOUBLE_EQ(summary.energy.max_gain, 0.5);
  EXPECT_DOUBLE_EQ(summary.energy.total_gain, 0.75);
}

TEST(RunStatistics, AveragesOverTheSteps) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  for (const int contacts : {2, 4, 9}) {
    StepReport report;
    report.contacts = contacts;
    report.iterations = contacts + 1;
    report.certificate.residual = 1e-9 * contacts;
    report.penetration = 1e-6 * contacts;
    report.seconds.solve = 0.5;
    statistics.add_step(scene.initial, report, {});
  }
  const RunSummary summary = statistics.summary(RunEnd::done, scene.initial);
  EXPECT_DOUBLE_EQ(summary.contacts.mean, 5.0);
  EXPECT_DOUBLE_EQ(summary.contacts.max, 9.0);
  EXPECT_DOUBLE_EQ(summary.iterations.mean, 6.0);
  EXPECT_DOUBLE_EQ(summary.residual.max, 9e-9);
  EXPECT_DOUBLE_EQ(summary.max_penetration, 9e-6);
  EXPECT_DOUBLE_EQ(summary.seconds.solve, 1.5);
  EXPECT_EQ(summary.certified_steps, 3);
}

TEST(RunStatistics, CountsTheStepsThatEachMethodWasUsedIn) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  for (const auto& methods : {std::vector<std::string>{"gauss-seidel", "newton"}, {"newton"}, {}}) {
    StepReport report;
    report.methods = methods;
    statistics.add_step(scene.initial, report, {});
  }
  const std::map<std::string, std::int64_t> expected = {{"gauss-seidel", 1}, {"newton", 2}};
  EXPECT_EQ(statistics.summary(RunEnd::done, scene.initial).methods, expected);
}

TEST(RunStatistics, NamesTheWorstUncertifiedStep) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  StepReport report;
  report.certified = false;
  for (const auto& [step, residual] : {std::pair{1, 1e-6}, {2, 1e-3}, {3, 1e-5}}) {
    report.certificate.residual = residual;
    report.reason = "reason " + std::to_string(step);
    statistics.add_step(moved(scene, step, 0.0), report, {});
  }
  const RunSummary summary = statistics.summary(RunEnd::done, scene.initial);
  EXPECT_EQ(summary.uncertified_steps, 3);
  ASSERT_TRUE(summary.worst_uncertified.has_value());
  EXPECT_EQ(summary.worst_uncertified->step, 2);
  EXPECT_EQ(summary.worst_uncertified->reason, "reason 2");
}

TEST(RunStatistics, HoldsAResidualThatIsNotANumberForTheWorst) {
  const Scene scene = small_scene();
  RunStatistics statistics(scene, scene.initial, {});
  StepReport report;
  report.certified = false;
  for (const auto& [step, residual] : {std::pair{1, 1.0}, {2, nan}, {3, 100.0}}) {
    report.certificate.residual = residual;
    statistics.add_step(moved(scene, step, 0.0), report, {});
  }
  const RunSummary summary = statistics.summary(RunEnd::done, scene.initial);
  EXPECT_TRUE(std::isnan(summary.residual.max));
  EXPECT_EQ(summary.worst_uncertified->step, 2);
}

TEST(StandsRule, IsSilentWithoutARuleOrAStep) {
  Scene scene = small_scene();
  EXPECT_FALSE(run_through(scene, {0.0}).stands.has_value());
  scene.stands = StandsRule{};
  EXPECT_FALSE(run_through(scene, {}).stands.has_value());
}

TEST(StandsRule, SaysFallenForABodyThatWasEverTooFar) {
  Scene scene = small_scene();
  scene.stands = StandsRule{{}, 0.1, 0.0};
  EXPECT_EQ(run_through(scene, {0.05, 0.09}).stands, true);
  EXPECT_EQ(run_through(scene, {0.05, 0.11, 0.0}).stands, false);
  EXPECT_EQ(run_through(scene, {0.05, nan, 0.0}).stands, false);
}

TEST(StandsRule, LooksAtTheNamedBodiesOnly) {
  Scene scene = small_scene();
  scene.stands = StandsRule{{0}, 0.1, 0.0};
  EXPECT_EQ(run_through(scene, {5.0}).stands, true);
}

TEST(StandsRule, ComparesWithThePoseAtItsMoment) {
  Scene scene = small_scene();
  scene.stands = StandsRule{{}, 0.1, 0.5};
  EXPECT_EQ(run_through(scene, {1.0, 2.0, 2.05}).stands, true);
  EXPECT_EQ(run_through(scene, {1.0, 2.0, 2.2}).stands, false);
  EXPECT_FALSE(run_through(scene, {1.0}).stands.has_value()) << "the moment was not reached";
}

}  // namespace
}  // namespace cardhouse
