#include "cardhouse/report/heat_map.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace cardhouse {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

HeatMap map_of(std::vector<double> values, int columns, int rows) {
  HeatMap map;
  map.x = {"x", false, -1.0, 1.0};
  map.y = {"y", false, -1.0, 1.0};
  map.value = {"value", false, 0.0, 0.0};
  map.panels.push_back({"panel", columns, rows, std::move(values), {}});
  return map;
}

/// Rectangles of the first panel's cells.
int cells(const std::string& svg) {
  const std::size_t begin = svg.find("<g shape-rendering");
  return count(svg.substr(begin, svg.find("</g>", begin) - begin), "<rect");
}

TEST(HeatMap, MergesNeighboursOfOneColour) {
  EXPECT_EQ(cells(svg_text(map_of({0, 0, 1, 1, 1, 1}, 3, 2))), 3);
  EXPECT_EQ(cells(svg_text(map_of({0, 1, 0, 1, 0, 1}, 3, 2))), 6);
}

TEST(HeatMap, ShowsInfinityApartAndLeavesNanOut) {
  HeatMap map = map_of({0.0, 1.0, infinity, std::numeric_limits<double>::quiet_NaN()}, 4, 1);
  map.infinite_name = "never";
  const std::string svg = svg_text(map);
  EXPECT_EQ(cells(svg), 3);
  EXPECT_EQ(count(svg, "never"), 1);
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "\"inf"), 0);
}

TEST(HeatMap, PutsTheFirstRowAtTheBottom) {
  const std::string svg = svg_text(map_of({0.0, 1.0}, 1, 2));
  const std::size_t dark = svg.find("fill=\"#440154\"");
  const std::size_t bright = svg.find("fill=\"#fde725\"");
  ASSERT_NE(dark, std::string::npos);
  ASSERT_NE(bright, std::string::npos);
  const auto y_of = [&](std::size_t at) {
    const std::size_t y = svg.rfind(" y=\"", at) + 4;
    return std::stod(svg.substr(y));
  };
  EXPECT_GT(y_of(dark), y_of(bright));
}

TEST(HeatMap, OfNoPanelsIsStillAPicture) {
  const std::string svg = svg_text(HeatMap());
  EXPECT_EQ(svg.rfind("<svg", 0), 0u);
  EXPECT_EQ(count(svg, "nan"), 0);
}

}  // namespace
}  // namespace cardhouse
