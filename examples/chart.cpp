// Each chart is drawn into a box of fixed size: title, legend, plot, labels.
#include "chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "core/error.h"
#include "train/report/figures/axes.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr double box_width = 380, box_height = 310, page_title = 40;
constexpr double left = 62, right = 18, top = 30, bottom = 46, legend_row = 17;
constexpr double character = 7;  // mean width in the font of the page

constexpr std::array<const char*, 6> colors = {"#0072b2", "#c04d00", "#00805f",
                                               "#a83e86", "#8a6400", "#4d4d4d"};
const char* color_of(size_t i) { return colors[i % colors.size()]; }

struct Box {
  double x0, x1, y0, y1;  // the plot; y0 is its lower edge
};

void text(std::string& out, double x, double y, const char* anchor, const std::string& words,
          const std::string& more = "") {
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, more, html_escaped(words));
}

void labels(std::string& out, const Chart& chart, const Box& box, double outside) {
  text(out, (box.x0 + box.x1) / 2, box.y0 + 36, "middle", chart.x_label, "fill=\"#444\"");
  const double x = box.x0 - outside, y = (box.y0 + box.y1) / 2;
  text(out, x, y, "middle", chart.y_label,
       fmt::format("fill=\"#444\" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
}

// Draws the entries in rows no wider than the plot; returns the height of the rows.
double legend(std::string& out, const Chart& chart, double x0, double x1, double y) {
  double x = x0;
  int rows = 0;
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    if (line.label.empty()) continue;
    const double width = 30 + character * static_cast<double>(line.label.size());
    if (rows == 0) rows = 1;
    if (x > x0 && x + width > x1 + 10) x = x0, ++rows;
    const double baseline = y + legend_row * (rows - 1);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h16\" stroke=\"{}\" stroke-width=\"2.2\"{}/>\n", x,
                       baseline - 4, color_of(i), line.dashed ? " stroke-dasharray=\"5 3\"" : "");
    text(out, x + 20, baseline, "start", line.label);
    x += width;
  }
  return legend_row * rows;
}

struct Range {
  double low = 0, high = 0;
  bool empty = true;
  void add(double value) {
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    empty = false;
  }
  void widen(bool logarithmic, double share) {
    if (logarithmic) {
      const double room = share * std::log(high / low);
      low *= std::exp(-room), high *= std::exp(room);
    } else {
      const double room = high > low ? share * (high - low) : 1;
      low = low == 0 ? 0 : low - room;
      high += room;
    }
  }
};

void axes(std::string& out, const Scale& x, const Scale& y, const Box& box) {
  const auto format = [](const Scale& scale, const Ticks& marks, double value) {
    const bool wide = scale.logarithmic && (value < 0.01 || value >= 10000);
    return wide                ? fmt::format("{:.0e}", value)
           : scale.logarithmic ? fmt::format("{:g}", value)
                               : value_label(value, marks.step, ValueFormat::number);
  };
  const Ticks rows = ticks(y.low, y.high, 5, y.logarithmic);
  for (const double value : rows.values) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#e4e7eb\"/>\n", box.x0,
                       y.at(value), box.x1);
    text(out, box.x0 - 6, y.at(value) + 4, "end", format(y, rows, value));
  }
  const Ticks across = ticks(x.low, x.high, 6, x.logarithmic);
  for (const double value : across.values) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}v4\" stroke=\"#555\"/>\n", x.at(value), box.y0);
    text(out, x.at(value), box.y0 + 17, "middle", format(x, across, value));
  }
  out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" stroke=\"#555\" fill=\"none\"/>\n",
                     box.x0, box.y1, box.y0, box.x1);
}

void draw_line(std::string& out, const ChartLine& line, size_t number, const Scale& x,
               const Scale& y) {
  std::string path, dots;
  for (size_t i = 0; i < line.x.size(); ++i) {
    const double px = x.at(line.x[i]), py = y.at(line.y[i]);
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', px, py);
    if (line.dots) {
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", px, py,
                          color_of(number));
    }
  }
  out += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{}"
      "/>\n",
      path, color_of(number), line.dashed ? " stroke-dasharray=\"5 3\"" : "");
  out += dots;
}

void draw_arrow(std::string& out, const ChartArrow& arrow, const Scale& x, const Scale& y) {
  const double x0 = x.at(0), y0 = y.at(0), x1 = x.at(arrow.x), y1 = y.at(arrow.y);
  const double length = std::max(1.0, std::hypot(x1 - x0, y1 - y0));
  const double ux = (x1 - x0) / length, uy = (y1 - y0) / length;
  const char* color = color_of(static_cast<size_t>(arrow.color));
  out +=
      fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                  x0, y0, x1 - 6 * ux, y1 - 6 * uy, color);
  out += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>\n", x1,
                     y1, x1 - 9 * ux - 4 * uy, y1 - 9 * uy + 4 * ux, x1 - 9 * ux + 4 * uy,
                     y1 - 9 * uy - 4 * ux, color);
  text(out, x1 + 11 * ux, y1 + 11 * uy + 4,
       ux < -0.3  ? "end"
       : ux > 0.3 ? "start"
                  : "middle",
       arrow.label, fmt::format("fill=\"{}\" font-weight=\"bold\"", color));
}

void draw_plot(std::string& out, const Chart& chart, Box box) {
  Range xs, ys;
  for (const ChartLine& line : chart.lines) {
    for (const double value : line.x) xs.add(value);
    for (const double value : line.y) ys.add(value);
  }
  for (const ChartArrow& arrow : chart.arrows) {
    xs.add(arrow.x), xs.add(0), ys.add(arrow.y), ys.add(0);
  }
  const bool plane = !chart.arrows.empty();
  xs.widen(chart.logarithmic_x, plane ? 0.12 : 0.02);
  ys.widen(chart.logarithmic_y, plane ? 0.12 : 0.05);
  if (plane) {  // one unit has the same length on both axes
    const double per_x = (xs.high - xs.low) / (box.x1 - box.x0);
    const double per_y = (ys.high - ys.low) / (box.y0 - box.y1);
    Range& short_one = per_x < per_y ? xs : ys;
    const double factor = std::max(per_x, per_y) / std::min(per_x, per_y);
    const double middle = (short_one.low + short_one.high) / 2;
    short_one.low = middle + factor * (short_one.low - middle);
    short_one.high = middle + factor * (short_one.high - middle);
  }
  const Scale x{xs.low, xs.high, box.x0, box.x1, chart.logarithmic_x};
  const Scale y{ys.low, ys.high, box.y0, box.y1, chart.logarithmic_y};
  axes(out, x, y, box);
  for (size_t i = 0; i < chart.lines.size(); ++i) draw_line(out, chart.lines[i], i, x, y);
  for (const ChartArrow& arrow : chart.arrows) draw_arrow(out, arrow, x, y);
  labels(out, chart, box, 48);
}

std::string blend(const std::array<double, 3>& dark, double share) {
  const auto channel = [&](size_t i) {
    return static_cast<int>(std::lround(255 + share * (dark[i] - 255)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

void draw_map(std::string& out, const Chart& chart, Box box) {
  const HeatMap& map = chart.map;
  const int64_t rows = map.values.rows(), cols = map.values.cols();
  size_t longest = 0;
  for (const std::string& label : map.row_labels) longest = std::max(longest, label.size());
  const double names = std::max(20.0, 8 + character * static_cast<double>(longest));
  box.x0 += names - 36;
  const double width = (box.x1 - box.x0) / static_cast<double>(cols);
  const double height = (box.y0 - box.y1) / static_cast<double>(rows);
  double most = 1e-12;
  for (const real value : map.values.span()) {
    if (std::isfinite(value)) most = std::max(most, std::abs(double(value)));
  }
  std::string cells, numbers;  // a cell is a unit square, scaled
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      const double value = map.values.data()[r * cols + c];
      const bool is_finite = std::isfinite(value);
      const double share = is_finite ? std::abs(value) / most : 0;
      const std::string fill = !is_finite  ? "#c9ccd1"
                               : value < 0 ? blend({176, 70, 0}, share)
                                           : blend({0, 62, 116}, share);
      cells += fmt::format("<path d=\"M{} {}h1v1h-1z\" fill=\"{}\"/>\n", c, r, fill);
      if (width < 32 || height < 15) continue;
      text(numbers, box.x0 + (static_cast<double>(c) + 0.5) * width,
           box.y1 + (static_cast<double>(r) + 0.5) * height + 4, "middle",
           is_finite ? fmt::format("{:.{}f}", value, map.digits) : "-inf",
           share > 0.6 ? "fill=\"#fff\"" : "");
    }
  }
  out += fmt::format(
      "<g transform=\"translate({:.1f} {:.1f}) scale({:.4f} {:.4f})\" "
      "shape-rendering=\"crispEdges\">\n{}</g>\n{}",
      box.x0, box.y1, width, height, cells, numbers);
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      box.x0, box.y1, box.x1 - box.x0, box.y0 - box.y1);
  const auto label = [](const std::vector<std::string>& given, int64_t i) {
    return given.empty() ? std::to_string(i) : given[static_cast<size_t>(i)];
  };
  const auto every = [](const std::vector<std::string>& given, int64_t count) {
    return given.empty() ? std::max<int64_t>(1, (count + 7) / 8) : int64_t{1};
  };
  for (int64_t r = 0; r < rows; r += every(map.row_labels, rows)) {
    text(out, box.x0 - 6, box.y1 + (static_cast<double>(r) + 0.5) * height + 4, "end",
         label(map.row_labels, r));
  }
  for (int64_t c = 0; c < cols; c += every(map.column_labels, cols)) {
    text(out, box.x0 + (static_cast<double>(c) + 0.5) * width, box.y0 + 17, "middle",
         label(map.column_labels, c));
  }
  labels(out, chart, box, names + 10);
}

}  // namespace

void write_charts(const std::string& path, const std::string& title,
                  const std::vector<Chart>& charts, int columns) {
  const int across = std::min(columns, static_cast<int>(charts.size()));
  const int down = (static_cast<int>(charts.size()) + across - 1) / across;
  std::string body;
  for (size_t i = 0; i < charts.size(); ++i) {
    const Chart& chart = charts[i];
    const double x = box_width * (static_cast<int>(i) % across);
    const double y = page_title + box_height * (static_cast<int>(i) / across);
    Box box{x + left, x + box_width - right, y + box_height - bottom, y + top};
    text(body, box.x0 - 46, y + 16, "start", chart.title, "font-weight=\"bold\"");
    box.y1 += legend(body, chart, box.x0, box.x1, y + top + 6);
    chart.map.values ? draw_map(body, chart, box) : draw_plot(body, chart, box);
  }
  std::ofstream file(path);
  const std::string heading =
      fmt::format("<text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{}</text>\n",
                  html_escaped(title));
  file << svg_document(box_width * across, page_title + box_height * down, 12, heading + body);
  file.close();
  if (!file) fail("{}: cannot be written; check the folder and its permissions", path);
}

}  // namespace calque
