#pragma once
// The curves of a panel as points, without gaps and, if requested, smoothed.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/report/figures/panels.h"

namespace calque {

struct PlotOptions {
  CurveAxis axis = CurveAxis::step;
  std::vector<std::string> columns = {};  // the panels in this order; empty: the default ones
  double smoothing = 0;                   // weight of the past in a moving average, 0 to below 1
  bool logarithmic = false;               // every y axis
};

struct DrawnCurve {
  size_t run = 0;
  CurveSource source = CurveSource::train;
  std::vector<double> x, y;
};

// Training curves come first. Only they are smoothed, and only if the panel is noisy. Logarithmic
// axes leave out values that are not above 0. Curves without points are left out.
std::vector<DrawnCurve> drawn_curves(std::span<const ReportRun> runs, const Panel& panel,
                                     const PlotOptions& options, bool logarithmic);

// The panels that options.columns names, in that order; without names, the panels of `usual` that
// have values, or else the first panel. Throws an Error for a named panel without values; the
// message lists the panels that have values.
std::vector<Panel> chosen_panels(std::span<const ReportRun> runs, const PlotOptions& options,
                                 std::span<const std::string> usual);

// The smallest box around the points of all curves; nothing without points.
struct Extent {
  double left = 0, right = 0, bottom = 0, top = 0;
};
std::optional<Extent> extent_of(std::span<const DrawnCurve> curves);

}  // namespace calque
