#include "cardhouse/report/outcome.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cardhouse/report/rest_watch.h"
#include "cardhouse/report/statistics.h"

namespace cardhouse {
namespace {

RunSummary with_rule(bool stands, double speed) {
  RunSummary summary;
  summary.steps = 10;
  summary.has_rule = true;
  summary.stands = stands;
  summary.speed = speed;
  return summary;
}

TEST(Outcome, IsThatItStandsWhenItIsWithinTheRuleAndAtRest) {
  EXPECT_EQ(outcome_of(with_rule(true, 0.0)), Outcome::stands);
  EXPECT_EQ(outcome_of(with_rule(true, rest_speed)), Outcome::stands);
  EXPECT_EQ(verdict(with_rule(true, 0.0)), true);
}

TEST(Outcome, IsThatItMovesWhenItIsWithinTheRuleButNotAtRest) {
  EXPECT_EQ(outcome_of(with_rule(true, 1.1 * rest_speed)), Outcome::moving);
  EXPECT_EQ(outcome_of(with_rule(true, std::nan(""))), Outcome::moving);
  EXPECT_EQ(verdict(with_rule(true, 1.0)), std::nullopt) << "it may still fall";
}

TEST(Outcome, OfAFallIsFinal) {
  for (const RunEnd end : {RunEnd::done, RunEnd::interrupted, RunEnd::diverged, RunEnd::fallen, RunEnd::rest}) {
    RunSummary summary = with_rule(false, 0.0);
    summary.end = end;
    EXPECT_EQ(outcome_of(summary), Outcome::fell);
    EXPECT_EQ(verdict(summary), false);
  }
}

TEST(Outcome, IsNotKnownOfWhatStoodUntilTheRunWasCutShort) {
  for (const RunEnd end : {RunEnd::interrupted, RunEnd::stopped, RunEnd::uncertified, RunEnd::diverged}) {
    RunSummary summary = with_rule(true, 0.0);
    summary.end = end;
    EXPECT_EQ(outcome_of(summary), std::nullopt);
  }
  RunSummary rested = with_rule(true, 0.0);
  rested.end = RunEnd::rest;
  EXPECT_EQ(outcome_of(rested), Outcome::stands) << "as long as it was to run";
}

TEST(Outcome, WithoutARuleIsRestOrMotion) {
  RunSummary summary;
  EXPECT_EQ(outcome_of(summary), std::nullopt) << "no step was taken";
  summary.steps = 1;
  EXPECT_EQ(outcome_of(summary), Outcome::rest);
  summary.speed = 1.0;
  EXPECT_EQ(outcome_of(summary), Outcome::moving);
  EXPECT_EQ(verdict(summary), std::nullopt);
}

/// Two bodies, h = 0.25 s, with a rule of 10 mm; the second body is put at the given places.
RunStatistics after(Scene& scene, const std::vector<double>& places) {
  scene.settings.step = 0.25;
  scene.model.bodies.resize(2);
  scene.model.bodies[0].name = "stays";
  scene.model.bodies[1].name = "goes";
  scene.initial.bodies.resize(2);
  scene.stands = StandsRule{};
  RunStatistics statistics(scene, scene.initial, {});
  State state = scene.initial;
  for (const double place : places) {
    ++state.step;
    state.time += 0.25;
    state.bodies[1].pose.position.x() = place;
    statistics.add_step(state, {}, {});
  }
  return statistics;
}

TEST(AFall, IsDatedAtTheFirstStepBeyondTheRuleWithItsBody) {
  Scene scene;
  const RunStatistics statistics = after(scene, {0.005, 0.009, 0.02, 0.5, 0.0});
  EXPECT_TRUE(statistics.has_fallen());
  const RunSummary summary = statistics.summary(RunEnd::done, scene.initial);
  ASSERT_TRUE(summary.fell_at.has_value());
  EXPECT_DOUBLE_EQ(*summary.fell_at, 0.75);
  EXPECT_EQ(summary.fell_body, "goes");
  EXPECT_EQ(summary.stands, false);
}

TEST(AFall, HasNoDateWhileNothingFell) {
  Scene scene;
  const RunStatistics statistics = after(scene, {0.005, 0.009, 0.0});
  EXPECT_FALSE(statistics.has_fallen());
  const RunSummary summary = statistics.summary(RunEnd::done, scene.initial);
  EXPECT_FALSE(summary.fell_at.has_value());
  EXPECT_EQ(summary.fell_body, "");
  EXPECT_EQ(summary.stands, true);
}

TEST(AFall, IsAPositionThatIsNotANumber) {
  Scene scene;
  const RunStatistics statistics = after(scene, {0.005, std::nan("")});
  EXPECT_TRUE(statistics.has_fallen());
  EXPECT_EQ(statistics.summary(RunEnd::done, scene.initial).fell_body, "goes");
}

}  // namespace
}  // namespace cardhouse
