#include "cardhouse/report/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cardhouse {
namespace {

ComparisonRow file_row(const std::string& problem, const std::string& solver, std::optional<double> seconds) {
  ComparisonRow row;
  row.problem = problem;
  row.solver = solver;
  row.status = seconds ? "converged" : "iteration_limit";
  row.seconds = seconds.value_or(9.0);
  row.seconds_to = {seconds, seconds, seconds};
  return row;
}

TEST(Comparison, AsJsonHasNullForWhatWasNotMeasured) {
  ComparisonRow scene;
  scene.problem = "house";
  scene.run = ComparedRun{10, 2, true};
  scene.residual = 1e-3;
  const nlohmann::json json = nlohmann::json::parse(comparison_json({file_row("a", "x", std::nullopt), scene}));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_TRUE(json[0]["residual"].is_null());
  EXPECT_TRUE(json[0]["seconds_to"]["1e-6"].is_null());
  EXPECT_TRUE(json[0]["stands"].is_null());
  EXPECT_TRUE(json[0]["steps"].is_null());
  EXPECT_EQ(json[1]["stands"], true);
  EXPECT_EQ(json[1]["uncertified_steps"], 2);
  EXPECT_EQ(json[1]["residual"], 1e-3);
}

TEST(Comparison, AsATableHasABlockPerProblemAndCountsSolvedFiles) {
  ComparisonRow bad = file_row("b", "y", std::nullopt);
  bad.reason = "it could not";
  const std::string table =
      comparison_table({file_row("a", "x", 0.5), file_row("a", "y", 0.25), file_row("b", "x", 1.0), bad});
  EXPECT_NE(table.find("  y: it could not\n"), std::string::npos);
  EXPECT_NE(table.find("2 of 2"), std::string::npos);
  EXPECT_NE(table.find("1 of 2"), std::string::npos);
  EXPECT_EQ(comparison_table({file_row("a", "x", 0.5)}).find("files solved"), std::string::npos);
}

TEST(Comparison, ShowsTheStagesThatWereAskedFor) {
  ComparisonRow row = file_row("a", "auto", 0.5);
  EXPECT_TRUE(nlohmann::json::parse(comparison_json({row}))[0]["stages"].is_null());
  row.stages = {{"sweeps", 3, 1, 0.25}, {"newton", 2, 2, 0.5}};
  const nlohmann::json stages = nlohmann::json::parse(comparison_json({row}))[0]["stages"];
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[1]["name"], "newton");
  EXPECT_EQ(stages[0]["runs"], 3);
  EXPECT_EQ(stages[0]["ends"], 1);
  const std::string table = comparison_table({row});
  EXPECT_LT(table.find("stage of auto"), table.find("sweeps"));
}

TEST(ResidualCsv, LeavesCellsOfEndedRunsEmpty) {
  EXPECT_EQ(residual_csv({{"x", {0.5, 0.25}}, {"y", {1.0}}}, 0.001), "step,time,x,y\n1,0.001,0.5,1\n2,0.002,0.25,\n");
}

// The example is small enough to do by hand: x needs 1 and 4 s, y 2 and 2 s, and only x solves the third.
struct Profiles : public ::testing::Test {
  std::vector<PerformanceProfile> profiles =
      performance_profiles({"x", "y"}, {{1.0, 4.0, 3.0, std::nullopt}, {2.0, 2.0, std::nullopt, std::nullopt}});
};

TEST_F(Profiles, CountTheShareOfProblemsWithinAMultipleOfTheBest) {
  EXPECT_EQ(profiles[0].ratios, (std::vector<double>{1.0, 1.0, 2.0}));
  EXPECT_EQ(profiles[1].ratios, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(profiles[0].share_within(1.0), 0.5);
  EXPECT_EQ(profiles[0].share_within(1.99), 0.5);
  EXPECT_EQ(profiles[0].share_within(2.0), 0.75);  // no solver solves the fourth
  EXPECT_EQ(profiles[1].share_within(1.0), 0.25);
  EXPECT_EQ(profiles[1].share_within(1e9), 0.5);
}

TEST_F(Profiles, AsCsvHaveALinePerStair) {
  EXPECT_EQ(profile_csv(profiles), "tau,x,y\n1,0.5,0.25\n2,0.75,0.5\n");
}

TEST_F(Profiles, AsAPlotAreStairsFromOneToTheEnd) {
  const Plot plot = profile_plot(profiles, 1e-8);
  ASSERT_EQ(plot.lines.size(), 2u);
  EXPECT_TRUE(plot.lines[0].stairs);
  EXPECT_EQ(plot.lines[0].x.front(), 1.0);
  EXPECT_EQ(plot.lines[0].x.back(), plot.x.most);
  EXPECT_EQ(plot.lines[0].y.back(), 0.75);
}

TEST(ResidualPlot, ShowsTheToleranceAndEveryResidual) {
  const Plot plot = residual_plot("house", {{"x", {1e-9, 1e-3}}, {"y", {1e-12, 1e-12}}}, 1e-8);
  EXPECT_LE(1e-3, plot.y.most);
  ASSERT_EQ(plot.marks.size(), 1u);
  EXPECT_EQ(plot.marks[0].y, 1e-8);
  EXPECT_EQ(plot.lines[0].x, (std::vector<double>{1.0, 2.0}));
}

}  // namespace
}  // namespace cardhouse
