// Heat maps as SVG: panels side by side that share one scale of colours.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cardhouse/report/plot.h"

namespace cardhouse {

/// One panel. Cells are equally wide and high and fill the axes' ranges, which must be given.
struct HeatMapPanel {
  std::string title;
  int columns = 0;
  int rows = 0;
  /// Row by row from the least y up. Infinity has a colour of its own; NaN is left white.
  std::vector<double> values;
  /// Drawn above the cells.
  struct Line {
    std::vector<double> x;
    std::vector<double> y;
    std::string colour;
    bool dashed = false;
  };
  std::vector<Line> lines;
};

struct HeatMap {
  std::string title;
  PlotAxis x;  ///< of all panels
  PlotAxis y;
  PlotAxis value;             ///< of the colours; its range: equal: what the data need
  std::string infinite_name;  ///< what an infinite value means, in the legend; empty: not shown
  int panels_per_row = 3;
  std::vector<HeatMapPanel> panels;
};

std::string svg_text(const HeatMap& map);

}  // namespace cardhouse
