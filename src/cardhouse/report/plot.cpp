#include "cardhouse/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace cardhouse {
namespace {

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

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void include(double value, bool logarithmic) {
    if (!std::isfinite(value) || (logarithmic && value <= 0.0)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

/// 1, 2 or 5 times a power of ten, such that about `count` of them make up the length.
double nice_step(double length, double count) {
  const double raw = length / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) return factor * power;
  }
  return 10.0 * power;
}

struct Tick {
  double value = 0.0;
  std::string label;  ///< empty: a faint line only
};

/// An axis with its range, from data to pixels.
class Scale {
 public:
  Scale(const PlotAxis& axis, Range data, double from, double to)
      : logarithmic_(axis.logarithmic), from_(from), to_(to) {
    if (axis.least < axis.most) data = {axis.least, axis.most};
    if (!(data.least <= data.most)) data = logarithmic_ ? Range{1e-10, 1.0} : Range{0.0, 1.0};
    const bool fixed = axis.least < axis.most;
    least_ = logarithmic_ ? std::log10(data.least) : data.least;
    most_ = logarithmic_ ? std::log10(data.most) : data.most;
    if (fixed) return;
    if (logarithmic_) {  // whole decades, a hair's breadth of rounding aside
      least_ = std::floor(least_ + 1e-9);
      most_ = std::max(std::ceil(most_ - 1e-9), least_ + 1.0);
    } else if (!(least_ < most_)) {
      least_ -= 0.5;
      most_ += 0.5;
    }
  }

  double at(double value) const {
    double t = value;
    if (logarithmic_) t = value > 0.0 ? std::log10(value) : least_;
    return from_ + (to_ - from_) * (std::clamp(t, least_, most_) - least_) / (most_ - least_);
  }

  std::vector<Tick> ticks() const { return logarithmic_ ? decades() : nice_numbers(); }

 private:
  std::vector<Tick> nice_numbers() const {
    std::vector<Tick> result;
    const double step = nice_step(most_ - least_, 6.0);
    for (double i = std::ceil(least_ / step - 1e-9); i * step <= most_ + 1e-9 * step; i += 1.0) {
      result.push_back({i * step, fmt::format("{:g}", i == 0.0 ? 0.0 : i * step)});
    }
    return result;
  }

  std::vector<Tick> decades() const {
    std::vector<Tick> result;
    const double length = most_ - least_;
    const int stride = std::max(1, static_cast<int>(std::ceil(length / 10.0)));
    const bool few = length <= 3.0;
    for (int d = static_cast<int>(std::floor(least_)); d <= static_cast<int>(std::ceil(most_)); ++d) {
      for (int digit = 1; digit < 10; ++digit) {
        const double value = digit * std::pow(10.0, d);
        const double place = std::log10(value);
        if (place < least_ - 1e-9 || place > most_ + 1e-9 || (digit > 1 && !few)) continue;
        const bool labelled = digit == 1 ? d % stride == 0 : few && length <= 2.0 && (digit == 2 || digit == 5);
        result.push_back({value, labelled ? label(value) : ""});
      }
    }
    return result;
  }

  static std::string label(double value) {
    return value >= 0.0099 && value < 9999.0 ? fmt::format("{:g}", value) : short_number(value);
  }

  bool logarithmic_;
  double from_, to_;
  double least_ = 0.0, most_ = 1.0;  ///< logarithms where the axis is logarithmic
};

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

std::string text(double x, double y, const std::string& words, const std::string& more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escaped(words));
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
  for (std::size_t i = 0; i < plot.lines.size(); ++i) entry(plot.lines[i].name, stroke(i));
  for (const PlotMark& mark : plot.marks) entry(mark.name, mark_style);
  return out;
}

}  // namespace

std::string short_number(double value) {
  std::string name = fmt::format("{:.1e}", value);
  const auto shorten = [&](const std::string& part, const std::string& by) {
    const std::size_t at = name.find(part);
    if (at != std::string::npos) name.replace(at, part.size(), by);
  };
  shorten(".0e", "e");
  shorten("e-0", "e-");
  shorten("e+0", "e+");
  return name;
}

std::string svg_text(const Plot& plot) {
  const Scale x(plot.x, range_of(plot, false), left, right);
  const Scale y(plot.y, range_of(plot, true), bottom, top);
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
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const std::string data = path_data(plot.lines[i], x, y);
    if (data.empty()) continue;
    out += fmt::format("<path d=\"{}\" {} stroke-width=\"1.6\" stroke-linejoin=\"round\"/>\n", data, stroke(i));
  }
  return out + legend(plot) + "</svg>\n";
}

}  // namespace cardhouse
