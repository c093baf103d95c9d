// A canvas of characters. Each is a bit set of Braille dots (U+2800 + bits) or a letter, and stores
// the last curve drawn on it.
#include "train/report/figures/terminal_plot.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "data/text/utf8.h"
#include "train/report/figures/axes.h"
#include "train/report/figures/thinning.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

// Colours that stay apart for most colour-blind people, on dark and on light terminals.
constexpr std::array<int, 6> terminal_colors = {34, 33, 36, 35, 32, 31};

// The loss, and the last headline metric that any run has measured.
std::vector<std::string> terminal_columns(std::span<const ReportRun> runs) {
  std::vector<std::string> columns = {"loss"};
  for (const ReportRun& run : runs) {
    for (const MetricInfo& metric : run.metrics) {
      const bool measured = run.train.find(metric.column) || run.valid.find(metric.column);
      if (!metric.headline || !measured) continue;
      columns.resize(1);
      columns.push_back(metric.column);
    }
  }
  return columns;
}

size_t columns_of(std::string_view text) {  // approximately: one column for each code point
  return static_cast<size_t>(count_code_points(text));
}

class Canvas {
 public:
  Canvas(int columns, int rows, bool braille)
      : columns_(columns), rows_(rows), braille_(braille), cells_(size_t(columns) * size_t(rows)) {}

  // The size in dots; a Braille character has two by four.
  int width() const { return columns_ * (braille_ ? 2 : 1); }
  int height() const { return rows_ * (braille_ ? 4 : 1); }

  void dot(int x, int y, int curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    Cell& cell =
        cells_[size_t(braille_ ? y / 4 : y) * size_t(columns_) + size_t(braille_ ? x / 2 : x)];
    constexpr std::array<std::array<int, 2>, 4> bits = {
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    cell.bits |= braille_ ? bits[size_t(y % 4)][size_t(x % 2)] : 1;
    cell.curve = curve;
  }

  void line(int x0, int y0, int x1, int y1, int curve) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) {
      const double part = double(i) / steps;
      dot(int(std::lround(x0 + part * (x1 - x0))), int(std::lround(y0 + part * (y1 - y0))), curve);
    }
  }

  std::string row(int y, bool color) const {
    std::string out;
    int painted = -1;
    for (int x = 0; x < columns_; ++x) {
      const Cell& cell = cells_[size_t(y) * size_t(columns_) + size_t(x)];
      const int wanted = cell.bits == 0 ? -1 : cell.curve;
      if (color && wanted != painted) {
        out += wanted < 0 ? "\x1b[0m"
                          : fmt::format("\x1b[{}m",
                                        terminal_colors[size_t(wanted) % terminal_colors.size()]);
        painted = wanted;
      }
      out += cell.bits == 0 ? " "
             : braille_     ? braille(cell.bits)
                            : std::string(1, char('a' + cell.curve % 26));
    }
    return out + (painted >= 0 ? "\x1b[0m" : "");
  }

 private:
  struct Cell {
    int bits = 0;
    int curve = 0;
  };

  static std::string braille(int bits) {
    return {char(0xE2), char(0xA0 + (bits >> 6)), char(0x80 + (bits & 0x3F))};
  }

  int columns_, rows_;
  bool braille_;
  std::vector<Cell> cells_;
};

// Selects the colour or letter, the same in every panel.
int style_index(const DrawnCurve& curve) {
  return int(curve.run) * 2 + (curve.source == CurveSource::valid ? 1 : 0);
}

void draw(Canvas& canvas, const DrawnCurve& curve, int index, const Scale& x, const Scale& y) {
  const std::vector<double>* column = &curve.y;
  int last_x = 0, last_y = 0;
  bool first = true;
  for (const size_t i :
       rows_with_extremes(curve.y.size(), {&column, 1}, size_t(canvas.width()) * 8)) {
    const int here_x = int(std::lround(x.at(curve.x[i])));
    const int here_y = int(std::lround(y.at(curve.y[i])));
    if (first) last_x = here_x, last_y = here_y;
    canvas.line(last_x, last_y, here_x, here_y, index);
    last_x = here_x, last_y = here_y;
    first = false;
  }
}

std::string bottom_axis(const Scale& x, CurveAxis axis, int columns, const Canvas& canvas) {
  std::string labels(size_t(columns), ' ');
  size_t free = 0;
  for (const double value : clock_ticks(axis, x.low, x.high, columns / 16).values) {
    const std::string label = clock_label(axis, value);
    const double share = x.at(value) / std::max(1, canvas.width() - 1);
    const double centre = share * (columns - 1) - double(label.size()) / 2;
    const size_t place =
        size_t(std::clamp(centre, 0.0, std::max(0.0, double(columns) - double(label.size()))));
    if (place < free || place + label.size() > labels.size()) continue;
    labels.replace(place, label.size(), label);
    free = place + label.size() + 1;
  }
  while (!labels.empty() && labels.back() == ' ') labels.pop_back();
  return labels;
}

std::string legend(std::span<const ReportRun> runs, std::span<const DrawnCurve> curves,
                   const TerminalStyle& style, bool letters, size_t indent) {
  std::string out(indent, ' '), line;
  size_t used = indent;
  for (const DrawnCurve& curve : curves) {
    const bool valid = curve.source == CurveSource::valid;
    const std::string kind = valid ? "validation" : "training";
    const std::string name = runs.size() > 1 ? printable(runs[curve.run].name) + " " + kind : kind;
    const std::string mark = letters         ? std::string(1, char('a' + style_index(curve) % 26))
                             : style.unicode ? "\xE2\xA0\xA4\xE2\xA0\xA4"
                                             : "--";
    const size_t width = columns_of(mark) + 1 + columns_of(name) + 3;
    if (used > indent && used + width > size_t(style.width)) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
    }
    used += width;
    const int color = terminal_colors[size_t(style_index(curve)) % terminal_colors.size()];
    out += style.color ? fmt::format("\x1b[{}m{}\x1b[0m {}   ", color, mark, name)
                       : fmt::format("{} {}   ", mark, name);
  }
  return out;
}

Scale vertical_scale(const Extent& extent, const Canvas& canvas, bool logarithmic) {
  double low = extent.bottom, high = extent.top;
  if (!(high > low)) {
    const double room = high != 0 ? std::abs(high) * 0.05 : 1;
    low -= logarithmic ? 0 : room;
    high += room;
  }
  return {low, high, double(canvas.height() - 1), 0, logarithmic};
}

std::string plot_panel(std::span<const ReportRun> runs, const Panel& panel,
                       const PlotOptions& options, const TerminalStyle& style) {
  constexpr int label_width = 9;
  const bool logarithmic = options.logarithmic || panel.logarithmic;
  const std::vector<DrawnCurve> curves = drawn_curves(runs, panel, options, logarithmic);
  const std::optional<Extent> extent = extent_of(curves);
  std::string out = fmt::format("{:{}}{}{}\n", "", label_width + 1, printable(panel.title),
                                logarithmic ? " (log)" : "");
  if (!extent) return out + "          no value that these axes can show\n";
  const bool letters = !style.unicode || (!style.color && curves.size() > 1);
  const int columns = std::max(10, style.width - label_width - 2);
  Canvas canvas(columns, std::max(3, style.height), !letters);
  const double from = extent->left > 0 && extent->left < 0.1 * extent->right ? 0 : extent->left;
  const Scale x{from, extent->right > from ? extent->right : from + 1, 0,
                double(canvas.width() - 1), false};
  const Scale y = vertical_scale(*extent, canvas, logarithmic);
  for (const DrawnCurve& curve : curves) draw(canvas, curve, style_index(curve), x, y);

  std::vector<std::string> labels(size_t(std::max(3, style.height)));
  const Ticks rows = ticks(y.low, y.high, std::max(2, style.height / 2 - 1), logarithmic);
  for (const double value : rows.values) {
    const double share = y.at(value) / std::max(1, canvas.height() - 1);
    labels[size_t(std::lround(share * double(labels.size() - 1)))] =
        value_label(value, rows.step, panel.format);
  }
  const char* side = style.unicode ? "\xE2\x94\x82" : "|";
  const char* tick = style.unicode ? "\xE2\x94\xA4" : "+";
  for (size_t row = 0; row < labels.size(); ++row) {
    out += fmt::format("{:>{}} {}{}\n", labels[row], label_width, labels[row].empty() ? side : tick,
                       canvas.row(int(row), style.color));
  }
  std::string base;
  for (int i = 0; i < columns; ++i) base += style.unicode ? "\xE2\x94\x80" : "-";
  out += std::string(label_width + 1, ' ') + (style.unicode ? "\xE2\x94\x94" : "+") + base + '\n';
  out += std::string(label_width + 2, ' ') + bottom_axis(x, options.axis, columns, canvas) + "\n";
  return out + legend(runs, curves, style, letters, label_width + 2) + "\n";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    return std::strstr(value, "UTF-8") || std::strstr(value, "utf8") ||
           std::strstr(value, "UTF8") || std::strstr(value, "utf-8");
  }
  return false;
}

int terminal_width() {
  const char* set = std::getenv("COLUMNS");
  const int columns = set ? std::atoi(set) : 0;
  if (columns > 0) return columns;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

TerminalStyle terminal_style() {
  const char* no_color = std::getenv("NO_COLOR");
  TerminalStyle style;
  style.width = std::clamp(terminal_width(), 30, 200);
  style.color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
  style.unicode = locale_is_utf8();
  return style;
}

std::string terminal_plot(std::span<const ReportRun> runs, const PlotOptions& options,
                          const TerminalStyle& style) {
  std::string out;
  for (const Panel& panel : chosen_panels(runs, options, terminal_columns(runs))) {
    if (!out.empty()) out += '\n';
    out += plot_panel(runs, panel, options, style);
  }
  return out;
}

}  // namespace calque
