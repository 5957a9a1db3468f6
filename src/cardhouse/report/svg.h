// What all pictures are made of: texts and axes in SVG.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cardhouse/report/plot.h"

namespace cardhouse::svg {

/// Text that may stand between tags and in attributes.
std::string escaped(const std::string& text);

/// `more`: further attributes.
std::string text(double x, double y, const std::string& words, const std::string& more);

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void include(double value, bool logarithmic);
};

struct Tick {
  double value = 0.0;
  std::string label;  ///< empty: a faint line only
};

/// An axis with its range, from data to pixels.
class Scale {
 public:
  Scale(const PlotAxis& axis, Range data, double from, double to);

  /// Values beyond the axis are at its end.
  double at(double value) const;
  /// About `count` of them on a linear axis.
  std::vector<Tick> ticks(double count = 6.0) const { return logarithmic_ ? decades() : nice_numbers(count); }
  /// Ends of the axis, as logarithms where it is logarithmic.
  double least() const { return least_; }
  double most() const { return most_; }
  /// Makes a linear axis longer to both sides, so that a unit of data takes no more than so many pixels.
  void limit_pixels_per_unit(double pixels);
  double pixels_per_unit() const;

 private:
  std::vector<Tick> nice_numbers(double count) const;
  std::vector<Tick> decades() const;

  bool logarithmic_;
  double from_, to_;
  double least_ = 0.0, most_ = 1.0;  ///< logarithms where the axis is logarithmic
};

}  // namespace cardhouse::svg
