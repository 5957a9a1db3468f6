#include "cardhouse/report/diagnosis_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cardhouse/base/error.h"
#include "contact/small_problems.h"

namespace cardhouse {
namespace {

TEST(DiagnosisReport, SaysOfARedundantStackThatImpulsesAreNotUnique) {
  const ProblemDiagnosis found = diagnose_problem("stack", testing::box_stack(3).problem);
  const std::string text = diagnosis_text(found);
  EXPECT_NE(text.find("stack: 12 contacts, 36 rows, 18 degrees of freedom"), std::string::npos);
  EXPECT_NE(text.find("18 of 36 rows"), std::string::npos);
  EXPECT_NE(text.find("18 rows depend on others"), std::string::npos);
  EXPECT_NE(text.find("positive semidefinite"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(diagnosis_json(found));
  EXPECT_EQ(json["rank"], 18);
  EXPECT_EQ(json["definiteness"], "semidefinite");
  EXPECT_EQ(json["pointed"], true);
}

/// A chain of bodies, each a millionth of the mass of the one before: W's condition is enormous, but the contacts with
/// the floor hardly meet.
TEST(DiagnosisReport, DoesNotCallSweepsHopelessForTheirConditionAlone) {
  testing::ProblemBuilder builder;
  for (int i = 0; i < 3; ++i) {
    const double mass = std::pow(1e-6, i);
    builder.body(mass * MatX::Identity(3, 3), Vec3(-1, 3, 0));
    builder.rows(testing::coulomb(0.3), {{i, MatX::Identity(3, 3)}}, VecX::Zero(3));
  }
  const ProblemDiagnosis found = diagnose_problem("masses", builder.problem);
  EXPECT_GT(found.matrix->condition(), 1e8);
  EXPECT_TRUE(found.sweeps.converged);
  EXPECT_LT(found.sweeps.sweeps, 10);
  const std::string text = diagnosis_text(found);
  EXPECT_NE(text.find("First-order methods are quick here."), std::string::npos) << text;
  EXPECT_EQ(text.find("hardly converge"), std::string::npos) << text;
}

TEST(DiagnosisReport, TellsWhereSweepsAreSlow) {
  const ProblemDiagnosis found = diagnose_problem("stack", testing::box_stack(40, 100.0).problem);
  EXPECT_FALSE(found.sweeps.converged) << found.sweeps.sweeps;
  EXPECT_NE(diagnosis_text(found).find("thousands of rounds"), std::string::npos) << diagnosis_text(found);
  const nlohmann::json json = nlohmann::json::parse(diagnosis_json(found));
  EXPECT_EQ(json["sweeps"]["converged"], false);
  EXPECT_EQ(json["sweeps"]["count"], 1000);
}

TEST(DiagnosisReport, KeepsToTheWidthOfATerminal) {
  const std::string text = diagnosis_text(diagnose_problem("stack", testing::box_stack(2, 1e6).problem));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 120u) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(DiagnosisReport, OfALargeProblemLeavesOutWhatNeedsDenseMatrices) {
  testing::ProblemBuilder builder;
  const int particles = most_dense_rows / 3 + 1;
  for (int i = 0; i < particles; ++i) builder.body(MatX::Identity(3, 3), Vec3::Zero());
  for (int i = 0; i < particles; ++i) {
    builder.rows(testing::coulomb(0.5), {{i, MatX::Identity(3, 3)}}, VecX::Zero(3));
  }
  const ProblemDiagnosis found = diagnose_problem("large", builder.problem);
  EXPECT_FALSE(found.matrix);
  EXPECT_NE(diagnosis_text(found).find("need dense"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(diagnosis_json(found))["condition"].is_null());
}

TEST(DiagnosisReport, RefusesNumbersThatAreNotFinite) {
  ContactProblem problem = testing::box_stack(1).problem;
  problem.laws[0].mu = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(diagnose_problem("stack", problem), InputError);
  ContactProblem matrix = testing::with_explicit_delassus(testing::box_stack(1).problem);
  matrix.delassus->w.coeffRef(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(diagnose_problem("stack", matrix), InputError);
}

}  // namespace
}  // namespace cardhouse
