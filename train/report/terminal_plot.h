#pragma once
// A small plot for the terminal: curves in Braille dots, eight to a character, or in letters where
// there is neither colour nor Unicode to tell curves apart.

#include <span>
#include <string>

#include "train/report/drawn_curves.h"

namespace calque {

struct TerminalStyle {
  int width = 80;       // columns the plot may use
  int height = 14;      // rows of each panel, without its axis
  bool color = true;    // ANSI colours
  bool unicode = true;  // Braille and box lines; else ASCII
};

// The size, colour and encoding of the terminal that stdout is: COLUMNS or the window's width,
// colours unless NO_COLOR is set or stdout is no terminal, Unicode if the locale says UTF-8.
TerminalStyle terminal_style();

std::string terminal_plot(std::span<const ReportRun> runs, const PlotOptions& options,
                          const TerminalStyle& style);

}  // namespace calque
