#pragma once
// A small plot for the terminal. Curves consist of Braille dots, eight in a character. They consist
// of letters without Unicode, or if a panel has several curves and the terminal no colours.

#include <span>
#include <string>

#include "train/report/figures/drawn_curves.h"

namespace calque {

struct TerminalStyle {
  int width = 80;       // maximum number of columns
  int height = 14;      // rows of each panel, without its axis
  bool color = true;    // ANSI colours
  bool unicode = true;  // Braille and box lines; else ASCII
};

// The style for stdout: as wide as COLUMNS or the window, but 30 to 200 columns; with colours
// unless NO_COLOR is set or stdout is not a terminal; with Unicode if the locale uses UTF-8.
TerminalStyle terminal_style();

std::string terminal_plot(std::span<const ReportRun> runs, const PlotOptions& options,
                          const TerminalStyle& style);

}  // namespace calque
