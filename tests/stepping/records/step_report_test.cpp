#include "cardhouse/stepping/records/step_report.h"

#include <gtest/gtest.h>

#include <limits>

namespace cardhouse {
namespace {

TEST(StepReport, OfTwoCertificatesTheWorseCountsInEachPart) {
  Certificate certificate{.residual = 1e-9, .worst_group = 3, .approach_speed = 2.0, .cone_excess = 1.0};
  certificate.include({.residual = 1e-10, .worst_group = 5, .approach_speed = 1.0, .cone_excess = 4.0});
  EXPECT_EQ(certificate.residual, 1e-9);
  EXPECT_EQ(certificate.worst_group, 3);
  EXPECT_EQ(certificate.approach_speed, 2.0);
  EXPECT_EQ(certificate.cone_excess, 4.0);
  certificate.include({.residual = 1e-8, .worst_group = 7});
  EXPECT_EQ(certificate.residual, 1e-8);
  EXPECT_EQ(certificate.worst_group, 7);
}

TEST(StepReport, AResidualThatIsNotANumberIsTheWorst) {
  Certificate certificate{.residual = 1e-9, .worst_group = 0};
  certificate.include({.residual = std::numeric_limits<double>::quiet_NaN(), .worst_group = 1});
  EXPECT_EQ(certificate.worst_group, 1);
  EXPECT_FALSE(certificate.certified(1.0));
}

TEST(StepReport, OfPartsHasSumsAndWorstValues) {
  StepReport before;
  before.certificate = {.residual = 1e-9, .worst_group = 2, .complementarity = 3.0};
  before.iterations = 4;
  before.methods = {"newton"};
  before.rescues.count(Rescue::unrounded_gaps, false);
  before.seconds.solve = 0.5;
  before.relaxed_rows = 1;
  before.overlap_left = 0.1;
  before.kept_overlaps = 2;
  before.kept_depth = 0.2;
  before.hairline_rows = 2;
  before.hairline_gap = 1e-7;
  before.warning = "earlier";
  before.contacts = 5;
  before.penetration = 0.2;
  before.work = 1.5;
  before.diagnosis.emplace().rank = 2;
  StepReport last;
  last.iterations = 3;
  last.methods = {"gauss-seidel"};
  last.seconds.solve = 0.25;
  last.contacts = 7;
  last.work = 0.5;
  last.include_earlier(before);
  EXPECT_EQ(last.certificate.residual, 1e-9);
  EXPECT_EQ(last.certificate.complementarity, 3.0);
  EXPECT_EQ(last.iterations, 7);
  EXPECT_EQ(last.methods, (std::vector<std::string>{"gauss-seidel", "newton"}));
  EXPECT_EQ(last.rescues.in_vain(), 1);
  EXPECT_EQ(last.seconds.solve, 0.75);
  EXPECT_EQ(last.relaxed_rows, 1);
  EXPECT_EQ(last.overlap_left, 0.1);
  EXPECT_EQ(last.kept_overlaps, 2);
  EXPECT_EQ(last.kept_depth, 0.2);
  EXPECT_EQ(last.hairline_rows, 2);
  EXPECT_EQ(last.hairline_gap, 1e-7);
  EXPECT_EQ(last.warning, "earlier");
  EXPECT_EQ(last.contacts, 7);
  EXPECT_EQ(last.penetration, 0.2);
  EXPECT_EQ(last.work, 2.0);
  ASSERT_TRUE(last.diagnosis);
  EXPECT_EQ(last.diagnosis->rank, 2);
}

}  // namespace
}  // namespace cardhouse
