#pragma once
// The curves as a static SVG figure for a paper or a README, with a white background, up to two
// panels per row and no scripts.

#include <span>
#include <string>

#include "train/report/figures/drawn_curves.h"

namespace calque {

std::string figure_svg(std::span<const ReportRun> runs, const PlotOptions& options);

}  // namespace calque
