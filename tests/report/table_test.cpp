#include "cardhouse/report/table.h"

#include <gtest/gtest.h>

#include <limits>

namespace cardhouse {
namespace {

bool table_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WithUnit, ChoosesThePrefixThatAPersonWouldChoose) {
  EXPECT_EQ(with_unit(3.214e-6, "m"), "3.21 µm");
  EXPECT_EQ(with_unit(0.00125, "s"), "1.25 ms");
  EXPECT_EQ(with_unit(2.0, "m"), "2 m");
  EXPECT_EQ(with_unit(-4.5e-9, "m"), "-4.5 nm");
  EXPECT_EQ(with_unit(0.0, "m"), "0 m");
}

TEST(WithUnit, HasNoPrefixBelowANano) {
  EXPECT_EQ(with_unit(1e-15, "m"), "1e-15 m");
  EXPECT_EQ(with_unit(3.684e-15, "rad"), "3.68e-15 rad");
  EXPECT_EQ(with_unit(1e-9, "m"), "1 nm");
}

TEST(WithUnit, NeverShowsAThousandOfASmallUnit) {
  EXPECT_EQ(with_unit(0.99996e-3, "m"), "1 mm");
  EXPECT_EQ(with_unit(0.9994e-3, "m"), "999 µm");
}

TEST(WithUnit, LeavesWhatIsNotFiniteReadable) {
  EXPECT_EQ(with_unit(std::numeric_limits<double>::quiet_NaN(), "m"), "nan m");
}

TEST(SummaryTable, SaysWhetherTheStructureStands) {
  RunSummary summary;
  EXPECT_TRUE(table_has(summary_table(summary), "outcome         –"));
  summary.has_rule = true;
  EXPECT_TRUE(table_has(summary_table(summary), "outcome         –")) << "the rule's moment was not passed";
  summary.stands = true;
  EXPECT_TRUE(table_has(summary_table(summary), "outcome         stands"));
  summary.stands = false;
  EXPECT_TRUE(table_has(summary_table(summary), "outcome         fell"));
}

TEST(SummaryTable, DatesAFallAndTellsTheSpeedOfWhatMoves) {
  RunSummary summary;
  summary.bodies = 2;
  summary.steps = 1;
  summary.has_rule = true;
  summary.stands = true;
  summary.speed = 0.25;
  summary.fastest_body = "stone";
  EXPECT_TRUE(table_has(summary_table(summary), "moving at 250 mm/s (stone)")) << summary_table(summary);
  summary.stands = false;
  summary.fell_at = 1.5;
  summary.fell_body = "key";
  EXPECT_TRUE(table_has(summary_table(summary), "fell at 1.5 s (key)")) << summary_table(summary);
  summary.end = RunEnd::fallen;
  summary.time = 1.5;
  EXPECT_TRUE(table_has(summary_table(summary), "(ended at t = 1.5 s, as asked)")) << summary_table(summary);
  summary.end = RunEnd::diverged;
  EXPECT_TRUE(table_has(summary_table(summary), "(DIVERGED at t = 1.5 s)")) << summary_table(summary);
}

TEST(SummaryTable, TellsRestAndMotionWithoutARule) {
  RunSummary summary;
  summary.steps = 1;
  EXPECT_TRUE(table_has(summary_table(summary), "outcome         at rest"));
  summary.speed = 3.0;
  EXPECT_TRUE(table_has(summary_table(summary), "outcome         moving at 3 m/s"));
}

TEST(SummaryTable, NamesTheMethodsWhereASolverHadAChoice) {
  RunSummary summary;
  summary.solver = "newton";
  summary.methods = {{"newton", 500}};
  EXPECT_FALSE(table_has(summary_table(summary), "methods"));
  summary.solver = "auto";
  summary.methods = {{"gauss-seidel", 2}, {"newton", 498}};
  EXPECT_TRUE(table_has(summary_table(summary), "methods         newton in 498 steps, gauss-seidel in 2\n"))
      << summary_table(summary);
}

TEST(SummaryTable, DoesNotCallStandingWhatWasCutShort) {
  RunSummary summary;
  summary.has_rule = true;
  summary.stands = true;
  summary.end = RunEnd::interrupted;
  summary.time = 1.5;
  EXPECT_TRUE(table_has(summary_table(summary), "stood so far  (interrupted at t = 1.5 s)")) << summary_table(summary);
  summary.stands = false;
  EXPECT_TRUE(table_has(summary_table(summary), "fell  (interrupted at t = 1.5 s)"));
}

TEST(SummaryTable, CountsTheStepsOfThisRunAndTellsWhereItBegan) {
  RunSummary summary;
  summary.scene = "pile";
  summary.solver = "solver";
  summary.step = 0.002;
  summary.steps = 300;
  summary.certified_steps = 300;
  summary.time = summary.duration = 0.6;
  EXPECT_TRUE(table_has(summary_table(summary), "pile: 0.6 s simulated in 300 steps of 2 ms by solver\n"));
  summary.first_step = 100;
  summary.first_time = 0.2;
  summary.time = summary.duration = 0.8;
  const std::string table = summary_table(summary);
  EXPECT_TRUE(table_has(
      table, "pile: 0.6 s simulated in 300 steps of 2 ms by solver, from step 100 (0.2 s) to step 400 (0.8 s)"))
      << table;
  EXPECT_TRUE(table_has(table, "300 of 300 steps")) << table;
}

TEST(SummaryTable, SaysWhenWholeStepsWentPastTheDuration) {
  RunSummary summary;
  summary.step = 0.03;
  summary.duration = 0.1;
  summary.steps = 4;
  summary.time = 0.12;
  EXPECT_TRUE(table_has(summary_table(summary), "duration        0.1 s asked for; whole steps end at 0.12 s"));
  summary.duration = 0.12;
  EXPECT_FALSE(table_has(summary_table(summary), "asked for"));
}

TEST(SummaryTable, ShowsUncertifiedStepsWithTheWorstAndItsReason) {
  RunSummary summary;
  EXPECT_FALSE(table_has(summary_table(summary), "NOT certified"));
  summary.uncertified_steps = 3;
  summary.worst_uncertified = UncertifiedStep{120, 2e-5, "iteration limit"};
  const std::string table = summary_table(summary);
  EXPECT_TRUE(table_has(table, "NOT certified   3 steps; worst: step 120, residual 2.0e-05, iteration limit")) << table;
}

TEST(SummaryTable, SplitsTheTimePerStepByPhase) {
  RunSummary summary;
  summary.steps = 100;
  summary.seconds = {0.2, 0.02, 0.01, 0.15, 0.005, 0.01};
  const std::string table = summary_table(summary);
  EXPECT_TRUE(table_has(table, "time per step   2 ms")) << table;
  EXPECT_TRUE(table_has(table, "solve        1.5000 ms  75 %")) << table;
}

TEST(SummaryTable, CopesWithARunOfNoSteps) {
  EXPECT_FALSE(table_has(summary_table({}), "nan"));
}

}  // namespace
}  // namespace cardhouse
