// The short form of every entry: that it runs, that what it says is complete, and that what was published is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cardhouse/reproduction/entry.h"

namespace cardhouse::reproduction {
namespace {

/// What the short form must find, by the beginnings of the rows' names. Rows that depend on clocks, or on more steps
/// than the short form takes, are not asked for.
struct Expectation {
  const char* entry;
  std::vector<const char*> agree;
  std::vector<const char*> differ = {};
};

const std::vector<Expectation>& expectations() {
  static const std::vector<Expectation> all = {
      {"thesis-4.1", {"(a)", "(b)", "(c)", "(d)"}},
      {"thesis-4.2",
       {"(a)", "(b)", "(c) wall, mu 0.5: part", "(c) wall, mu 0.5: largest rise",
        "(c) wall, mu 0.5: losses at h = 0.005 and 0.001 s differ", "(d) wall, mu 5: part",
        "(d) wall, mu 5: losses at h = 0.005 and 0.001 s differ"}},
      {"thesis-6.2",
       {"iterations where the prediction", "largest residual", "most iterations at 60", "most iterations as mu rises",
        "sticking faster", "iterations at theta 0", "iterations at theta π/2"}},
      {"thesis-6.3", {"iterations where the prediction", "largest residual", "most iterations", "sticking faster"}},
      {"thesis-6.4", {"iterations where the prediction", "largest residual", "most iterations", "sticking faster"}},
      {"thesis-6.5", {"iterations where the prediction", "largest residual", "most iterations", "sticking faster"}},
      {"thesis-6.6",
       {"largest residual where it converges", "sliding points", "the same", "points in", "mean iterations",
        "largest residual where it does not"}},
      {"thesis-6.7",
       {"largest residual where it converges", "sliding points", "the same", "points in", "mean iterations",
        "largest residual where it does not"}},
      {"thesis-6.8",
       {"largest residual where it converges", "sliding points", "the same", "points in", "mean iterations",
        "largest residual where it does not"}},
      {"thesis-6.9", {"the error", "part of the iterations with a growing error"}},
      {"thesis-6.10", {"staggered projections"}, {"sequential quadratic programming"}},
      {"thesis-table-7.2", {"card house: gain"}},
      {"thesis-7.4", {"jamming", "creep", "steps that are not certified"}},
      {"thesis-7.5", {"blocks on the keystone", "certified steps, keystone"}},
      {"thesis-7.6", {"before the first block"}},
      {"anitescu-2006-table-10.1", {"scaled difference", "mean factor"}},
      {"anitescu-2006-figure-10.2", {"largest difference", "the same for h"}},
      {"anitescu-2006-table-10.2", {"scaled difference", "mean factor"}},
      {"anitescu-2006-figure-10.5", {"largest difference", "the same for h"}},
      {"anitescu-2006-section-9", {"particle", "bar", "21 disks"}},
      {"anitescu-hart-pyramid", {"error of both", "violation"}},
      {"anitescu-hart-figure-3", {"LCP1", "ours"}},
      {"anitescu-hart-figure-4", {"ours"}},
      {"anitescu-hart-table-1", {"mu 0.6: LCP2", "mu 0.8: LCP2", "mu 0.1: ours", "mu 0.2: ours", "mu 0.4: ours"}},
      {"slides-2003-ellipse", {"stabilised: deepest", "deepest: not stabilised"}},
      {"slides-2003-disks", {"deepest: not stabilised", "certified steps"}},
      {"slides-2003-infeasibility", {"ellipse", "21 disks"}},
      {"slides-2003-pendulum", {"ratio", "not stabilised", "stabilised", "certified"}},
      {"slides-2003-gamma", {"joint", "overlap", "swinging", "the same", "grasp", "steps"}},
      {"slides-2003-restitution", {"one solve", "lagged", "newton", "steps"}},
      {"anitescu-2006-figure-10.6", {"optimisation method: deepest", "Coulomb's law to 1e-2: steps"}},
      {"slides-2003-brazil-nut", {"optimisation method: deepest", "Coulomb's law to 1e-2: steps"}},
      {"eth-hard-and-soft", {"hard", "soft", "steps"}},
      {"eth-impact-law", {"speed", "impacts", "part", "the same", "lowest", "steps"}},
      {"eth-incline", {"hard", "soft, slides", "soft and viscous", "steps"}},
  };
  return all;
}

TEST(ShortForms, AreExpectedOfEveryEntry) {
  std::set<std::string> expected;
  for (const Expectation& expectation : expectations()) expected.insert(expectation.entry);
  for (const Entry& entry : entries()) EXPECT_EQ(expected.count(entry.name), 1u) << entry.name;
  EXPECT_EQ(expected.size(), entries().size());
}

class ShortForm : public ::testing::TestWithParam<Expectation> {};

void check_complete(const Findings& findings) {
  EXPECT_FALSE(findings.rows.empty());
  std::set<std::string> names;
  for (const PublishedRow& row : findings.rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.entry.empty() || row.source.empty() || row.rule.empty()) << row.name;
    EXPECT_FALSE(row.published.text.empty() || row.measured.text.empty()) << row.name;
    EXPECT_FALSE(row.verdict == Verdict::not_readable && row.note.empty()) << row.name;
  }
}

void check_files(const Findings& findings) {
  std::set<std::string> names;
  for (const CsvTable& table : findings.tables) {
    EXPECT_TRUE(names.insert(table.name() + ".csv").second) << table.name();
    EXPECT_GT(std::count(table.text().begin(), table.text().end(), '\n'), 1) << table.name();
  }
  for (const Figure& figure : findings.figures) {
    EXPECT_TRUE(names.insert(figure.name + ".svg").second) << figure.name;
    EXPECT_EQ(figure.svg.rfind("<svg", 0), 0u);
    for (const char* bad : {"\"nan", "\"-nan", "\"inf", "\"-inf"}) {
      EXPECT_EQ(figure.svg.find(bad), std::string::npos) << figure.name;
    }
  }
  EXPECT_FALSE(findings.tables.empty());
  EXPECT_FALSE(findings.figures.empty());
}

/// That all rows with this beginning have the verdict, those aside that can't be read.
void check_rows(const Findings& findings, const char* beginning, Verdict verdict) {
  int found = 0;
  for (const PublishedRow& row : findings.rows) {
    if (row.name.rfind(beginning, 0) != 0 || row.verdict == Verdict::not_readable) continue;
    ++found;
    EXPECT_EQ(row.verdict, verdict) << row.name << ": " << row.measured.text << " (" << row.rule << ")";
  }
  EXPECT_GT(found, 0) << beginning;
}

TEST_P(ShortForm, FindsWhatWasPublished) {
  const Expectation& expectation = GetParam();
  double last = 0.0;
  const Progress progress(
      [&](const std::string& words, double part) {
        EXPECT_FALSE(words.empty());
        EXPECT_GE(part, last);
        EXPECT_LE(part, 1.0);
        last = part;
      },
      {});
  const Findings findings = run_entry(find_entry(expectation.entry), Form::brief, progress);
  check_complete(findings);
  check_files(findings);
  for (const char* beginning : expectation.agree) check_rows(findings, beginning, Verdict::agrees);
  for (const char* beginning : expectation.differ) check_rows(findings, beginning, Verdict::differs);
}

TEST(BrazilNut, IsHeldToTheNumberOfItsOwnSource) {
  const auto rule_of = [](const char* name) {
    return run_entry(find_entry(name), Form::brief, Progress()).rows[1].rule;
  };
  EXPECT_EQ(rule_of("anitescu-2006-figure-10.6"), "15 to 100: within a factor of two of 30 to 50");
  EXPECT_EQ(rule_of("slides-2003-brazil-nut"), "20 to 80: within a factor of two of about 40");
}

std::string test_name(const ::testing::TestParamInfo<Expectation>& info) {
  std::string name = info.param.entry;
  for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Reproduction, ShortForm, ::testing::ValuesIn(expectations()), test_name);

}  // namespace
}  // namespace cardhouse::reproduction
