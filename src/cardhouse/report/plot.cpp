#include "cardhouse/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cardhouse/report/svg.h"

namespace cardhouse {
namespace {

using svg::Range;
using svg::Scale;
using svg::text;
using svg::Tick;

// All lengths in pixels.
constexpr double width = 880.0;
constexpr double height = 460.0;
constexpr double left = 78.0;
constexpr double right = width - 210.0;  // the legend stands beyond
constexpr double top = 48.0;
constexpr double bottom = height - 58.0;

/// Told apart by people who see colours differently too (after Okabe & Ito), dark enough on white.
constexpr std::array<const char*, 8> colours = {"#0072b2", "#d55e00", "#009e73", "#b84c8b",
                                                "#c58a00", "#3a9bd0", "#222222", "#7a5ea8"};
/// From one round of the colours to the next.
constexpr std::array<const char*, 3> dashes = {"", "7 3", "2 3"};

Range range_of(const Plot& plot, bool of_y) {
  Range range;
  const bool logarithmic = of_y ? plot.y.logarithmic : plot.x.logarithmic;
  for (const PlotLine& line : plot.lines) {
    for (const double value : of_y ? line.y : line.x) range.include(value, logarithmic);
  }
  if (of_y) {
    for (const PlotMark& mark : plot.marks) range.include(mark.y, logarithmic);
  }
  return range;
}

std::string grid(const Scale& x, const Scale& y) {
  std::string out;
  const auto line = [&](double x1, double y1, double x2, double y2, bool strong) {
    out += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                       y2, strong ? "#d9d9d9" : "#efefef");
  };
  for (const Tick& tick : x.ticks()) {
    const double at = x.at(tick.value);
    line(at, top, at, bottom, !tick.label.empty());
    if (!tick.label.empty()) out += text(at, bottom + 18.0, tick.label, "text-anchor=\"middle\"");
  }
  for (const Tick& tick : y.ticks()) {
    const double at = y.at(tick.value);
    line(left, at, right, at, !tick.label.empty());
    if (!tick.label.empty()) out += text(left - 8.0, at + 4.0, tick.label, "text-anchor=\"end\"");
  }
  return out;
}

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// A path through points; of those in one column of pixels only the first, the lowest, the highest and the last, in
/// their order, so that long runs stay small files.
class Path {
 public:
  void add(Point point) {
    if (!column_.empty() && std::floor(point.x) != std::floor(column_.front().x)) flush();
    column_.push_back(point);
  }
  void lift() {
    flush();
    down_ = false;
  }
  std::string data() {
    flush();
    return data_;
  }

 private:
  void flush() {
    if (column_.empty()) return;
    const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
    const auto [low, high] = std::minmax_element(column_.begin(), column_.end(), by_y);
    std::array<std::size_t, 4> chosen = {0, static_cast<std::size_t>(low - column_.begin()),
                                         static_cast<std::size_t>(high - column_.begin()), column_.size() - 1};
    std::sort(chosen.begin(), chosen.end());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (i == 0 || chosen[i] != chosen[i - 1]) put(column_[chosen[i]]);
    }
    column_.clear();
  }
  void put(const Point& point) {
    data_ += fmt::format("{}{:.1f} {:.1f}", down_ ? "L" : "M", point.x, point.y);
    down_ = true;
  }

  std::vector<Point> column_;
  std::string data_;
  bool down_ = false;
};

std::string path_data(const PlotLine& line, const Scale& x, const Scale& y) {
  Path path;
  std::optional<Point> last;
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    if (std::isnan(line.x[i]) || std::isnan(line.y[i])) {
      path.lift();
      last.reset();
      continue;
    }
    const Point point{x.at(line.x[i]), y.at(line.y[i])};
    if (line.stairs && last) path.add({point.x, last->y});
    path.add(point);
    last = point;
  }
  return path.data();
}

std::string stroke(std::size_t index) {
  const char* dash = dashes[index / colours.size() % dashes.size()];
  return fmt::format("stroke=\"{}\"{} fill=\"none\"", colours[index % colours.size()],
                     *dash == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

/// Which style each line has: a line without a name, that of the one before.
std::vector<std::size_t> styles(const Plot& plot) {
  std::vector<std::size_t> result;
  std::size_t used = 0;
  for (const PlotLine& line : plot.lines) {
    if (!line.name.empty() || used == 0) ++used;
    result.push_back(used - 1);
  }
  return result;
}

std::string dots(const PlotLine& line, const Scale& x, const Scale& y, std::size_t style) {
  std::string out;
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    if (std::isnan(line.x[i]) || std::isnan(line.y[i])) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x.at(line.x[i]),
                       y.at(line.y[i]), colours[style % colours.size()]);
  }
  return out;
}

constexpr const char* mark_style = "stroke=\"#666666\" stroke-dasharray=\"4 4\"";

std::string legend(const Plot& plot) {
  std::string out;
  double y = top + 10.0;
  const auto entry = [&](const std::string& name, const std::string& style) {
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" {3} stroke-width=\"2.5\"/>\n",
                       right + 14.0, y, right + 40.0, style);
    out += text(right + 48.0, y + 4.0, name, "");
    y += 20.0;
  };
  const std::vector<std::size_t> style = styles(plot);
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    if (!plot.lines[i].name.empty()) entry(plot.lines[i].name, stroke(style[i]));
  }
  for (const PlotMark& mark : plot.marks) entry(mark.name, mark_style);
  return out;
}

}  // namespace

std::string svg_text(const Plot& plot) {
  Scale x(plot.x, range_of(plot, false), left, right);
  Scale y(plot.y, range_of(plot, true), bottom, top);
  if (plot.equal_scale) {
    const double pixels = std::min(x.pixels_per_unit(), y.pixels_per_unit());
    x.limit_pixels_per_unit(pixels);
    y.limit_pixels_per_unit(pixels);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  out += text(left, top - 20.0, plot.title, "font-size=\"16\" font-weight=\"bold\"");
  out += grid(x, y);
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888888\"/>\n", left,
                     top, right - left, bottom - top);
  out += text(0.5 * (left + right), height - 16.0, plot.x.label, "text-anchor=\"middle\"");
  out +=
      text(0.0, 0.0, plot.y.label,
           fmt::format("text-anchor=\"middle\" transform=\"translate(20 {:.1f}) rotate(-90)\"", 0.5 * (top + bottom)));
  for (const PlotMark& mark : plot.marks) {
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" {3}/>\n", left, y.at(mark.y),
                       right, mark_style);
  }
  const std::vector<std::size_t> style = styles(plot);
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const std::string data = path_data(plot.lines[i], x, y);
    if (data.empty()) continue;
    out += fmt::format("<path d=\"{}\" {} stroke-width=\"1.6\" stroke-linejoin=\"round\"/>\n", data, stroke(style[i]));
    if (plot.lines[i].points) out += dots(plot.lines[i], x, y, style[i]);
  }
  return out + legend(plot) + "</svg>\n";
}

}  // namespace cardhouse
