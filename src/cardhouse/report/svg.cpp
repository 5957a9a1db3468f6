#include "cardhouse/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cardhouse {

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

namespace svg {
namespace {

/// 1, 2 or 5 times a power of ten, such that about `count` of them make up the length.
double nice_step(double length, double count) {
  const double raw = length / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) return factor * power;
  }
  return 10.0 * power;
}

std::string decade_label(double value) {
  return value >= 0.0099 && value < 9999.0 ? fmt::format("{:g}", value) : short_number(value);
}

}  // namespace

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

std::string text(double x, double y, const std::string& words, const std::string& more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escaped(words));
}

void Range::include(double value, bool logarithmic) {
  if (!std::isfinite(value) || (logarithmic && value <= 0.0)) return;
  least = std::min(least, value);
  most = std::max(most, value);
}

Scale::Scale(const PlotAxis& axis, Range data, double from, double to)
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

double Scale::at(double value) const {
  double t = value;
  if (logarithmic_) t = value > 0.0 ? std::log10(value) : least_;
  return from_ + (to_ - from_) * (std::clamp(t, least_, most_) - least_) / (most_ - least_);
}

double Scale::pixels_per_unit() const {
  return std::abs(to_ - from_) / (most_ - least_);
}

void Scale::limit_pixels_per_unit(double pixels) {
  const double missing = std::abs(to_ - from_) / pixels - (most_ - least_);
  if (!(missing > 0.0)) return;
  least_ -= 0.5 * missing;
  most_ += 0.5 * missing;
}

std::vector<Tick> Scale::nice_numbers(double count) const {
  std::vector<Tick> result;
  const double step = nice_step(most_ - least_, count);
  for (double i = std::ceil(least_ / step - 1e-9); i * step <= most_ + 1e-9 * step; i += 1.0) {
    result.push_back({i * step, fmt::format("{:g}", i == 0.0 ? 0.0 : i * step)});
  }
  return result;
}

std::vector<Tick> Scale::decades() const {
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
      result.push_back({value, labelled ? decade_label(value) : ""});
    }
  }
  return result;
}

}  // namespace svg
}  // namespace cardhouse
