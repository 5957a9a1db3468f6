// Line plots as SVG: one file that any browser and most programs show, on white, without fonts or scripts of its own.
#pragma once

#include <string>
#include <vector>

namespace cardhouse {

struct PlotAxis {
  std::string label;
  bool logarithmic = false;
  /// The range; equal: what the data need.
  double least = 0.0;
  double most = 0.0;
};

struct PlotLine {
  std::string name;  ///< in the legend; empty: drawn like the line before, and not in the legend
  std::vector<double> x;
  std::vector<double> y;
  bool stairs = false;  ///< y holds until the next x
  bool points = false;  ///< a dot at each point, for values that are few
};

/// A dashed horizontal line.
struct PlotMark {
  std::string name;
  double y = 0.0;
};

struct Plot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotLine> lines;
  std::vector<PlotMark> marks;
  bool equal_scale = false;  ///< of linear axes: a unit is as long on both, so that a disk is round
};

/// "1e-8", "2.5e-7": two digits, as short as they can be.
std::string short_number(double value);

/// Points beyond an axis are drawn at its end: zero on a logarithmic one, infinity. NaN is a gap.
std::string svg_text(const Plot& plot);

}  // namespace cardhouse
