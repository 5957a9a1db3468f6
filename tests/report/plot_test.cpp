#include "cardhouse/report/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace cardhouse {
namespace {

int count_of(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The numbers of the first path: x, y, x, y, …
std::vector<double> path_numbers(const std::string& svg) {
  const std::size_t begin = svg.find("<path d=\"") + 9;
  std::string data = svg.substr(begin, svg.find('"', begin) - begin);
  for (char& c : data) c = c == 'M' || c == 'L' ? ' ' : c;
  std::vector<double> numbers;
  const char* at = data.c_str();
  char* end = nullptr;
  for (double value = std::strtod(at, &end); end != at; value = std::strtod(at, &end)) {
    numbers.push_back(value);
    at = end;
  }
  return numbers;
}

TEST(Plot, PlacesPointsOnALogarithmicAxisByTheirLogarithms) {
  Plot plot;
  plot.y = {"y", true, 1e-8, 1.0};
  plot.lines.push_back({"line", {0, 1, 2}, {1.0, 1e-4, 1e-8}});
  const std::vector<double> p = path_numbers(svg_text(plot));
  ASSERT_EQ(p.size(), 6u);
  EXPECT_NEAR(p[2] - p[0], p[4] - p[2], 0.11);  // pixels, written with one digit
  EXPECT_NEAR(p[3] - p[1], p[5] - p[3], 0.11);
  EXPECT_LT(p[1], p[5]);  // up is a smaller y
}

TEST(Plot, KeepsPointsBeyondAnAxisAtItsEndAndLeavesGapsForNaN) {
  Plot plot;
  plot.y = {"y", true, 1e-8, 1.0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  plot.lines.push_back({"line", {0, 1, 2, 3, 4}, {1e-8, 0.0, nan, infinity, 1.0}});
  const std::string svg = svg_text(plot);
  const std::vector<double> p = path_numbers(svg);
  ASSERT_EQ(p.size(), 8u);
  EXPECT_EQ(p[1], p[3]);
  EXPECT_EQ(p[5], p[7]);
  EXPECT_EQ(count_of(svg, "nan"), 0);
  EXPECT_EQ(count_of(svg, "inf"), 0);
  EXPECT_EQ(count_of(svg.substr(svg.find("<path")), "M"), 2);
}

TEST(Plot, StaysSmallForLongRunsAndKeepsTheirPeaks) {
  Plot plot;
  plot.y = {"y", false, 0.0, 1.0};
  PlotLine line{"line", {}, {}};
  for (int i = 0; i < 200000; ++i) {
    line.x.push_back(i);
    line.y.push_back(i == 77777 ? 1.0 : 0.1);
  }
  plot.lines.push_back(line);
  const std::string svg = svg_text(plot);
  EXPECT_LT(svg.size(), 60000u);
  const std::vector<double> p = path_numbers(svg);
  double highest = 1e9;
  for (std::size_t i = 1; i < p.size(); i += 2) highest = std::min(highest, p[i]);
  EXPECT_EQ(highest, 48.0);  // the top of the frame
}

TEST(Plot, NamesEveryLineAndEscapesWhatXmlDoesNotAllow) {
  Plot plot;
  plot.title = "a < b & \"c\"";
  for (int i = 0; i < 10; ++i) plot.lines.push_back({"solver <" + std::to_string(i) + ">", {0, 1}, {0, 1}});
  const std::string svg = svg_text(plot);
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(count_of(svg, "solver &lt;" + std::to_string(i) + "&gt;"), 1);
  // More lines than colours: the rest is dashed.
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"7 3\""), 4);
}

TEST(Plot, WritesNumbersShortly) {
  EXPECT_EQ(short_number(1e-4), "1e-4");
  EXPECT_EQ(short_number(1e-12), "1e-12");
  EXPECT_EQ(short_number(2.5e-7), "2.5e-7");
  EXPECT_EQ(short_number(0.1), "1e-1");
}

TEST(Plot, OfNothingIsStillAPlot) {
  for (const bool logarithmic : {false, true}) {
    Plot plot;
    plot.x.logarithmic = plot.y.logarithmic = logarithmic;
    plot.lines.push_back({"empty", {}, {}});
    plot.lines.push_back({"point", {1.0}, {1.0}});
    const std::string svg = svg_text(plot);
    EXPECT_EQ(count_of(svg, "nan"), 0);
    EXPECT_EQ(count_of(svg, "inf"), 0);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
  }
}

TEST(Plot, PutsDotsWhereAskedAndKeepsNamelessLinesOutOfTheLegend) {
  Plot plot;
  plot.lines.push_back({"named", {0, 1, 2}, {0, 1, 4}, false, true});
  plot.lines.push_back({"", {0, 1, 2}, {1, 2, 5}});
  const std::string svg = svg_text(plot);
  EXPECT_EQ(count_of(svg, "<circle"), 3);
  EXPECT_EQ(count_of(svg, "named"), 1);
  EXPECT_EQ(count_of(svg, "stroke=\"#0072b2\""), 3);  // both lines, and the legend's
}

TEST(Plot, OfEqualScaleMakesASquareSquare) {
  Plot plot;
  plot.equal_scale = true;
  plot.lines.push_back({"square", {0, 2, 2, 0, 0}, {0, 0, 2, 2, 0}});
  const std::vector<double> p = path_numbers(svg_text(plot));
  ASSERT_GE(p.size(), 8u);
  EXPECT_NEAR(p[2] - p[0], p[3] - p[5], 0.21);  // pixels, written with one digit
}

}  // namespace
}  // namespace cardhouse
