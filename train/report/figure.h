#pragma once
// The curves as a static SVG figure for a paper or a README: white, two panels in a row, no script.

#include <span>
#include <string>

#include "train/report/drawn_curves.h"

namespace calque {

std::string figure_svg(std::span<const ReportRun> runs, const PlotOptions& options);

}  // namespace calque
