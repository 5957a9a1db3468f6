#include "cardhouse/report/summary.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace cardhouse {
namespace {

nlohmann::json parsed(const RunSummary& summary) {
  return nlohmann::json::parse(summary_text(summary));
}

TEST(Summary, HasEveryPromisedKey) {
  const nlohmann::json json = parsed({});
  for (const char* pointer : {"/version",
                              "/scene",
                              "/parameters",
                              "/solver",
                              "/step",
                              "/duration",
                              "/tolerance",
                              "/steps",
                              "/bodies",
                              "/dofs",
                              "/threads",
                              "/contacts/mean",
                              "/contacts/max",
                              "/iterations/mean",
                              "/iterations/max",
                              "/methods",
                              "/residual/max",
                              "/residual/mean",
                              "/certified_steps",
                              "/uncertified_steps",
                              "/penetration/max",
                              "/displacement/max",
                              "/displacement/body",
                              "/displacement/max_after_1s",
                              "/rotation/max",
                              "/energy/initial",
                              "/energy/final",
                              "/energy/max_gain",
                              "/energy/total_gain",
                              "/momentum/initial/linear",
                              "/momentum/initial/angular",
                              "/momentum/final/linear",
                              "/momentum/outside/angular",
                              "/momentum/unexplained/linear",
                              "/momentum/unexplained/angular",
                              "/stands",
                              "/seconds/total",
                              "/seconds/collision",
                              "/seconds/assembly",
                              "/seconds/solve",
                              "/seconds/integrate",
                              "/seconds/output",
                              "/cpu_seconds",
                              "/peak_memory_mb",
                              "/state_hash",
                              "/exit",
                              "/exit_reason",
                              "/diverged",
                              "/warnings",
                              "/outcome",
                              "/fell_at",
                              "/fell_body",
                              "/speed/max",
                              "/speed/body",
                              "/step_length/over_tolerance",
                              "/first_step",
                              "/first_time"}) {
    EXPECT_TRUE(json.contains(nlohmann::json::json_pointer(pointer))) << pointer;
  }
}

TEST(Summary, TellsInHowManyStepsEachMethodWasUsed) {
  RunSummary summary;
  EXPECT_TRUE(parsed(summary)["methods"].is_object());
  summary.methods = {{"newton", 498}, {"gauss-seidel", 2}};
  EXPECT_EQ(parsed(summary)["methods"]["newton"], 498);
  EXPECT_EQ(parsed(summary)["methods"].size(), 2u);
}

TEST(Summary, TellsTheMomentumThatNoImpulseExplains) {
  RunSummary summary;
  summary.momentum.initial.linear = Vec3(1.0, 0.0, 0.0);
  summary.momentum.outside.linear = Vec3(0.0, 2.0, 0.0);
  summary.momentum.final.linear = Vec3(1.0, 2.0, 0.5);
  summary.momentum.final.angular = Vec3(0.0, 3.0, 4.0);
  const nlohmann::json momentum = parsed(summary)["momentum"];
  EXPECT_EQ(momentum["initial"]["linear"], nlohmann::json({1.0, 0.0, 0.0}));
  EXPECT_EQ(momentum["outside"]["linear"], nlohmann::json({0.0, 2.0, 0.0}));
  EXPECT_EQ(momentum["final"]["angular"], nlohmann::json({0.0, 3.0, 4.0}));
  EXPECT_EQ(momentum["unexplained"]["linear"], 0.5);
  EXPECT_EQ(momentum["unexplained"]["angular"], 5.0);
}

TEST(Summary, TellsWhereARunDiverged) {
  RunSummary summary;
  EXPECT_TRUE(parsed(summary)["diverged"].is_null());
  summary.end = RunEnd::diverged;
  summary.diverged = DivergedStep{12, "rod"};
  EXPECT_EQ(parsed(summary)["exit"], "diverged");
  EXPECT_EQ(parsed(summary)["diverged"]["step"], 12);
  EXPECT_EQ(parsed(summary)["diverged"]["body"], "rod");
}

TEST(Summary, HasTheOutcomeInAWordTheFallsDateAndTheWarnings) {
  RunSummary summary;
  EXPECT_TRUE(parsed(summary)["outcome"].is_null());
  summary.steps = 1;
  summary.has_rule = true;
  summary.stands = false;
  summary.fell_at = 1.5;
  summary.fell_body = "key";
  summary.warnings = {"odd"};
  EXPECT_EQ(parsed(summary)["outcome"], "fell");
  EXPECT_EQ(parsed(summary)["fell_at"], 1.5);
  EXPECT_EQ(parsed(summary)["fell_body"], "key");
  EXPECT_EQ(parsed(summary)["warnings"][0], "odd");
}

TEST(Summary, WritesNumbersThatAreNotFiniteAsNull) {
  RunSummary summary;
  summary.residual.max = std::numeric_limits<double>::quiet_NaN();
  summary.max_displacement = std::numeric_limits<double>::infinity();
  const nlohmann::json json = parsed(summary);
  EXPECT_TRUE(json["residual"]["max"].is_null());
  EXPECT_TRUE(json["displacement"]["max"].is_null());
}

TEST(Summary, TellsStandingByTrueFalseOrNull) {
  RunSummary summary;
  EXPECT_TRUE(parsed(summary)["stands"].is_null());
  summary.has_rule = true;
  summary.stands = true;
  EXPECT_EQ(parsed(summary)["stands"], true);
  summary.stands = false;
  EXPECT_EQ(parsed(summary)["stands"], false);
}

TEST(Summary, CallsNothingStandingThatWasCutShort) {
  RunSummary summary;
  for (const RunEnd end : {RunEnd::interrupted, RunEnd::uncertified, RunEnd::stopped}) {
    summary.end = end;
    summary.has_rule = true;
    summary.stands = true;
    EXPECT_TRUE(parsed(summary)["stands"].is_null()) << run_end_name(end);
    summary.stands = false;
    EXPECT_EQ(parsed(summary)["stands"], false) << "a fall is final";
  }
}

TEST(Summary, TellsWhyARunStopped) {
  RunSummary summary;
  EXPECT_TRUE(parsed(summary)["exit_reason"].is_null());
  summary.end = RunEnd::stopped;
  summary.stop_reason = "two bodies met";
  EXPECT_EQ(parsed(summary)["exit"], "stopped");
  EXPECT_EQ(parsed(summary)["exit_reason"], "two bodies met");
}

TEST(Summary, WritesTheStateHashAsSixteenHexDigits) {
  RunSummary summary;
  summary.state_hash = 0xabcU;
  EXPECT_EQ(parsed(summary)["state_hash"], "0000000000000abc");
}

TEST(Summary, KeepsDoublesToTheLastBit) {
  RunSummary summary;
  summary.residual.max = 0.1 + 0.2;
  EXPECT_EQ(parsed(summary)["residual"]["max"].get<double>(), 0.1 + 0.2);
}

TEST(Summary, StaysValidWhenTheNameOfASceneIsNotUtf8) {
  RunSummary summary;
  summary.scene = "bad \xff name";
  EXPECT_NO_THROW(parsed(summary));
}

}  // namespace
}  // namespace cardhouse
