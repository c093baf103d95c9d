#pragma once
// Charts as a self-contained SVG page: lines, arrows from the origin, and heat maps, in a grid
// under one title. The page is white, so that it is legible on light and dark sites alike. Scales,
// ticks and escapes are those of the reports (train/report/figures/axes.h).

#include <string>
#include <vector>

#include "core/tensor.h"

namespace calque {

struct ChartLine {
  std::string label = {};  // in the legend; empty: none
  std::vector<double> x = {}, y = {};
  bool dashed = false;
  bool dots = false;  // marks the points
};

struct ChartArrow {
  std::string label;  // at the tip
  double x = 0, y = 0;
  int color = 0;
};

// Cells from white to blue, or from orange over white to blue if there are negative values. A value
// that is not finite is grey.
struct HeatMap {
  Tensor values;                                                 // [rows, columns]
  std::vector<std::string> row_labels = {}, column_labels = {};  // empty: numbers
  int digits = 2;                                                // of the numbers in large cells
};

struct Chart {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<ChartLine> lines = {};
  std::vector<ChartArrow> arrows = {};
  HeatMap map = {};  // if it has values, it is the whole chart
  bool logarithmic_x = false, logarithmic_y = false;
};

// Writes the page; throws an Error that names the path if that fails.
void write_charts(const std::string& path, const std::string& title,
                  const std::vector<Chart>& charts, int columns = 2);

}  // namespace calque
