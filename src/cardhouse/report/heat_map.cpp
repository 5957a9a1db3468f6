#include "cardhouse/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cardhouse/report/svg.h"

namespace cardhouse {
namespace {

using svg::Range;
using svg::Scale;
using svg::text;

// All lengths in pixels.
constexpr double panel_size = 220.0;
constexpr double map_left = 66.0;
constexpr double gap_x = 34.0;
constexpr double gap_y = 56.0;
constexpr double map_top = 78.0;
constexpr double below = 56.0;
constexpr double legend_width = 150.0;

/// From dark to bright through hues that grow lighter throughout, so that they are told apart in grey too.
constexpr std::array<std::array<double, 3>, 9> map_colours = {{{68, 1, 84},
                                                               {71, 44, 122},
                                                               {59, 81, 139},
                                                               {44, 113, 142},
                                                               {33, 144, 141},
                                                               {39, 173, 129},
                                                               {92, 200, 99},
                                                               {170, 220, 50},
                                                               {253, 231, 37}}};
constexpr const char* infinite_colour = "#b5b5b5";
/// Cells are merged where their colours are the same: so many shades leave files small.
constexpr int shades = 64;

std::string colour_at(double part) {
  const double place = std::clamp(std::round(part * shades) / shades, 0.0, 1.0) * (map_colours.size() - 1);
  const std::size_t first = std::min(static_cast<std::size_t>(place), map_colours.size() - 2);
  const double rest = place - static_cast<double>(first);
  std::array<int, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    rgb[i] = static_cast<int>(std::lround((1.0 - rest) * map_colours[first][i] + rest * map_colours[first + 1][i]));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

/// Empty for NaN.
std::string cell_colour(double value, const Scale& scale) {
  if (std::isnan(value)) return "";
  return std::isinf(value) ? infinite_colour : colour_at(scale.at(value));
}

Range value_range(const HeatMap& map) {
  Range range;
  for (const HeatMapPanel& panel : map.panels) {
    for (const double value : panel.values) range.include(value, map.value.logarithmic);
  }
  return range;
}

std::string rectangle(double x, double y, double width, double height, const std::string& fill) {
  return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x, y, width,
                     height, fill);
}

/// Neighbours of one colour in a row become one rectangle.
std::string cells(const HeatMapPanel& panel, double x0, double y0, const Scale& scale) {
  std::string out;
  const double width = panel_size / panel.columns;
  const double height = panel_size / panel.rows;
  for (int row = 0; row < panel.rows; ++row) {
    const double y = y0 + panel_size - (row + 1) * height;
    for (int column = 0; column < panel.columns;) {
      const auto colour = [&](int c) {
        return cell_colour(panel.values[static_cast<std::size_t>(row) * panel.columns + c], scale);
      };
      const std::string here = colour(column);
      int end = column + 1;
      while (end < panel.columns && colour(end) == here) ++end;
      if (!here.empty()) out += rectangle(x0 + column * width, y, (end - column) * width, height, here);
      column = end;
    }
  }
  return out;
}

std::string overlay(const HeatMapPanel::Line& line, const Scale& x, const Scale& y) {
  std::string points;
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    points += fmt::format("{:.1f},{:.1f} ", x.at(line.x[i]), y.at(line.y[i]));
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", points,
                     svg::escaped(line.colour), line.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

std::string panel_text(const HeatMap& map, const HeatMapPanel& panel, double x0, double y0, bool first_column,
                       const Scale& scale) {
  const Scale x(map.x, {}, x0, x0 + panel_size);
  const Scale y(map.y, {}, y0 + panel_size, y0);
  std::string out = text(x0, y0 - 8.0, panel.title, "");
  // One path of cells; crisp, so that no seams show between them.
  out += "<g shape-rendering=\"crispEdges\">\n" + cells(panel, x0, y0, scale) + "</g>\n";
  for (const HeatMapPanel::Line& line : panel.lines) out += overlay(line, x, y);
  out += fmt::format("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" fill=\"none\" stroke=\"#888888\"/>\n", x0,
                     y0, panel_size);
  for (const svg::Tick& tick : x.ticks(3.0)) {
    out += text(x.at(tick.value), y0 + panel_size + 15.0, tick.label, "text-anchor=\"middle\" font-size=\"11\"");
  }
  if (!first_column) return out;
  for (const svg::Tick& tick : y.ticks(3.0)) {
    out += text(x0 - 5.0, y.at(tick.value) + 4.0, tick.label, "text-anchor=\"end\" font-size=\"11\"");
  }
  return out;
}

std::string legend(const HeatMap& map, const Scale& scale, double x, double y0, double height) {
  std::string out = text(x, y0 - 8.0, map.value.label, "");
  const double strip = height / shades;
  out += "<g shape-rendering=\"crispEdges\">\n";
  for (int i = 0; i < shades; ++i) {
    out += rectangle(x, y0 + height - (i + 1) * strip, 18.0, strip + 0.5, colour_at((i + 0.5) / shades));
  }
  out += "</g>\n";
  for (const svg::Tick& tick : scale.ticks()) {
    if (tick.label.empty()) continue;
    out += text(x + 24.0, y0 + height * (1.0 - scale.at(tick.value)) + 4.0, tick.label, "font-size=\"11\"");
  }
  if (map.infinite_name.empty()) return out;
  out += rectangle(x, y0 + height + 14.0, 18.0, 12.0, infinite_colour);
  return out + text(x + 24.0, y0 + height + 24.0, map.infinite_name, "font-size=\"11\"");
}

}  // namespace

std::string svg_text(const HeatMap& map) {
  const int count = static_cast<int>(map.panels.size());
  const int columns = std::max(1, std::min(map.panels_per_row, count));
  const int rows = std::max(1, (count + columns - 1) / columns);
  const double right = map_left + columns * (panel_size + gap_x);
  const double width = right + legend_width;
  const double height = map_top + rows * (panel_size + gap_y) - gap_y + below;
  const Scale scale(map.value, value_range(map), 0.0, 1.0);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  out += text(map_left, 28.0, map.title, "font-size=\"16\" font-weight=\"bold\"");
  for (int i = 0; i < count; ++i) {
    const double x0 = map_left + i % columns * (panel_size + gap_x);
    const double y0 = map_top + i / columns * (panel_size + gap_y);  // NOLINT(bugprone-integer-division): whole rows
    out += panel_text(map, map.panels[i], x0, y0, i % columns == 0, scale);
  }
  out += text(0.5 * (map_left + right - gap_x), height - 14.0, map.x.label, "text-anchor=\"middle\"");
  out += text(0.0, 0.0, map.y.label,
              fmt::format("text-anchor=\"middle\" transform=\"translate(18 {:.1f}) rotate(-90)\"",
                          0.5 * (map_top + height - below)));
  return out + legend(map, scale, right, map_top, panel_size) + "</svg>\n";
}

}  // namespace cardhouse
