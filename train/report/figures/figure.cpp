// A grid of panels below one legend. Sizes are in SVG user units.
#include "train/report/figures/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "train/report/figures/axes.h"
#include "train/report/figures/thinning.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr double panel_width = 350, panel_height = 230;
constexpr double left = 52, right = 10, top = 26, bottom = 40;
constexpr double legend_line = 18;
constexpr size_t most_points = 1600;  // of a curve; more than a printed page can show

// Okabe and Ito's colours, some of them darkened for white paper. Runs after the seventh are
// dashed.
constexpr std::array<const char*, 7> colors = {"#0072b2", "#d55e00", "#00866a", "#b0458f",
                                               "#a07400", "#3b9bd6", "#4d4d4d"};

// The metrics in the log lines of the runs' tasks, then the learning rate and the gradient norm.
std::vector<std::string> usual_columns(std::span<const ReportRun> runs) {
  std::vector<std::string> columns;
  for (const ReportRun& run : runs) {
    for (const MetricInfo& metric : run.metrics) {
      if (!metric.label.empty()) columns.push_back(metric.column);
    }
  }
  columns.insert(columns.end(), {"lr", "grad_norm"});
  return columns;
}

struct Stroke {
  std::string color;
  std::string attributes;
};

// The colour distinguishes runs, or training and validation of a single run.
Stroke stroke_of(size_t run, size_t runs, CurveSource source) {
  const bool valid = source == CurveSource::valid;
  const size_t color = runs == 1 && valid ? 1 : run % colors.size();
  std::string attributes =
      fmt::format("stroke=\"{}\" stroke-width=\"{}\"", colors[color], valid ? 1.8 : 1.1);
  if (runs > 1 && !valid) attributes += " stroke-opacity=\"0.6\"";
  if (run >= colors.size()) attributes += " stroke-dasharray=\"5 2\"";
  return {colors[color], attributes};
}

void append_text(std::string& out, double x, double y, const char* anchor, const std::string& text,
                 const char* more = "") {
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, more, html_escaped(text));
}

void append_line(std::string& out, double x1, double y1, double x2, double y2, const char* style) {
  out += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

struct Frame {
  Scale x, y;
  double left_edge, right_edge, top_edge, bottom_edge;
};

Frame frame_for(const Extent& extent, double x, double y, bool logarithmic) {
  Frame frame{{}, {}, x + left, x + panel_width - right, y + top, y + panel_height - bottom};
  double low = extent.left, high = extent.right, under = extent.bottom, over = extent.top;
  if (low > 0 && low < 0.1 * high) low = 0;
  if (!(high > low)) high = low + 1;
  if (logarithmic) {
    const double room = std::max(0.02, 0.05 * std::log(over / under));
    under *= std::exp(-room);
    over *= std::exp(room);
  } else {
    double room = 0.05 * (over - under);
    if (room == 0) room = over != 0 ? 0.05 * std::abs(over) : 1;
    under = under >= 0 && under < room ? 0 : under - room;
    over += room;
  }
  frame.x = {low, high, frame.left_edge, frame.right_edge, false};
  frame.y = {under, over, frame.bottom_edge, frame.top_edge, logarithmic};
  return frame;
}

void append_axes(std::string& out, const Frame& frame, const Panel& panel, CurveAxis axis) {
  const Ticks rows = ticks(frame.y.low, frame.y.high, 5, frame.y.logarithmic);
  for (const double value : rows.values) {
    const double y = frame.y.at(value);
    append_line(out, frame.left_edge, y, frame.right_edge, y, "stroke=\"#e4e7eb\"");
    append_text(out, frame.left_edge - 6, y + 3.5, "end",
                value_label(value, rows.step, panel.format));
  }
  for (const double value : clock_ticks(axis, frame.x.low, frame.x.high, 5).values) {
    const double x = frame.x.at(value);
    append_line(out, x, frame.bottom_edge, x, frame.bottom_edge + 4, "stroke=\"#555\"");
    append_text(out, x, frame.bottom_edge + 15, "middle", clock_label(axis, value));
  }
  out +=
      fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" stroke=\"#555\" fill=\"none\"/>\n",
                  frame.left_edge, frame.top_edge, frame.bottom_edge, frame.right_edge);
  append_text(out, (frame.left_edge + frame.right_edge) / 2, frame.bottom_edge + 30, "middle",
              axis_title(axis), "fill=\"#555\"");
}

void append_curve(std::string& out, const Frame& frame, const DrawnCurve& curve,
                  const Stroke& stroke) {
  const std::vector<double>* column = &curve.y;
  out += "<path fill=\"none\" stroke-linejoin=\"round\" " + stroke.attributes + " d=\"";
  char pen = 'M';
  for (const size_t i : rows_with_extremes(curve.y.size(), {&column, 1}, most_points)) {
    out += fmt::format("{}{:.1f} {:.1f}", pen, frame.x.at(curve.x[i]), frame.y.at(curve.y[i]));
    pen = 'L';
  }
  out += "\"/>\n";
  if (curve.source == CurveSource::train || curve.x.size() > 40) return;
  for (size_t i = 0; i < curve.x.size(); ++i) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\"/>\n",
                       frame.x.at(curve.x[i]), frame.y.at(curve.y[i]), stroke.color);
  }
}

void append_panel(std::string& out, std::span<const ReportRun> runs, const Panel& panel,
                  const PlotOptions& options, double x, double y) {
  const bool logarithmic = options.logarithmic || panel.logarithmic;
  const std::vector<DrawnCurve> curves = drawn_curves(runs, panel, options, logarithmic);
  append_text(out, x + left, y + 16, "start",
              panel.title + (panel.unit.empty() ? "" : " (" + panel.unit + ")"),
              "font-weight=\"bold\" font-size=\"12\"");
  const std::optional<Extent> extent = extent_of(curves);
  if (!extent)
    return append_text(out, x + left, y + 60, "start", "no value that these axes can show");
  const Frame frame = frame_for(*extent, x, y, logarithmic);
  append_axes(out, frame, panel, options.axis);
  for (const DrawnCurve& curve : curves) {
    append_curve(out, frame, curve, stroke_of(curve.run, runs.size(), curve.source));
  }
}

// The width of a line, its label and the space after it.
double entry_width(const std::string& label) {
  return 44 + 6.3 * static_cast<double>(label.size());
}

// The names of several runs, then training and validation. Returns the y below the legend.
double append_legend(std::string& out, std::span<const ReportRun> runs, double figure_width) {
  double x = left, y = 16;
  const auto entry = [&](const Stroke& stroke, const std::string& label) {
    const double width = entry_width(label);
    if (x > left && x + width > figure_width) {
      x = left;
      y += legend_line;
    }
    append_line(out, x, y - 4, x + 22, y - 4, stroke.attributes.c_str());
    append_text(out, x + 28, y, "start", label);
    x += width;
  };
  if (runs.size() > 1) {
    for (size_t run = 0; run < runs.size(); ++run) {
      entry(stroke_of(run, runs.size(), CurveSource::valid), runs[run].name);
    }
    entry({"", "stroke=\"#555\" stroke-width=\"1.1\" stroke-opacity=\"0.6\""}, "training");
    entry({"", "stroke=\"#555\" stroke-width=\"1.8\""}, "validation");
  } else {
    entry(stroke_of(0, 1, CurveSource::train), "training");
    entry(stroke_of(0, 1, CurveSource::valid), "validation");
  }
  return y + 10;
}

}  // namespace

std::string figure_svg(std::span<const ReportRun> runs, const PlotOptions& options) {
  const std::vector<Panel> panels = chosen_panels(runs, options, usual_columns(runs));
  const size_t columns = panels.size() > 1 ? 2 : 1;
  double width = static_cast<double>(columns) * panel_width;
  for (const ReportRun& run : runs) {
    if (runs.size() > 1) width = std::max(width, left + entry_width(run.name));
  }
  std::string body;
  const double begin = append_legend(body, runs, width);
  for (size_t i = 0; i < panels.size(); ++i) {
    const size_t row = i / columns, column = i % columns;
    append_panel(body, runs, panels[i], options, static_cast<double>(column) * panel_width,
                 begin + static_cast<double>(row) * panel_height);
  }
  const size_t rows = (panels.size() + columns - 1) / columns;
  const double height = begin + static_cast<double>(rows) * panel_height;
  return svg_document(width, height, 10.5, body);
}

}  // namespace calque
