// Static outputs: CSV, the SVG figure, the terminal plot.
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/report/exports/curves_csv.h"
#include "train/report/figures/axes.h"
#include "train/report/figures/drawn_curves.h"
#include "train/report/figures/figure.h"
#include "train/report/figures/terminal_plot.h"
#include "train/report/fixture.h"

using namespace calque;
using calque::tests::TemporaryRun;

namespace {

std::string falling_loss(int steps) {
  std::string metrics;
  for (int step = 1; step <= steps; ++step) {
    metrics += fmt::format("{{\"kind\":\"train\",\"step\":{},\"loss\":{}}}\n", step, 10.0 / step);
    if (step % 5 == 0)
      metrics += fmt::format("{{\"kind\":\"valid\",\"step\":{},\"loss\":{},\"accuracy\":0.5}}\n",
                             step, 11.0 / step);
  }
  return metrics;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("CSV has a row for each record, a column for each value, and quotes where necessary") {
  const TemporaryRun folder("a,\"b\"");
  const ReportRun run = folder.run(
      "{\"kind\":\"train\",\"step\":1,\"epoch\":0.1,\"loss\":0.1}\n{\"kind\":\"valid\",\"step\":2,"
      "\"epoch\":0.2,\"bleu\":30}\n");
  CHECK(curves_csv({&run, 1}) ==
        "run,kind,step,epoch,tokens,seconds,bleu,loss\r\n"
        "\"a,\"\"b\"\"\",train,1,0.1,,,,0.1\r\n"
        "\"a,\"\"b\"\"\",valid,2,0.2,,,30,\r\n");
}

TEST_CASE("ticks are round numbers within the axis") {
  CHECK(ticks(0, 10, 5, false).values == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(ticks(-1, 1, 4, false).values.size() == 5);
  CHECK(ticks(1, 1000, 4, true).values == std::vector<double>{1, 3, 10, 30, 100, 300, 1000});
  CHECK(ticks(3, 3, 4, false).values == std::vector<double>{3});
  CHECK(clock_ticks(CurveAxis::seconds, 0, 3600, 4).values ==
        std::vector<double>{0, 900, 1800, 2700, 3600});
  CHECK(clock_ticks(CurveAxis::step, 0, 2, 8).values == std::vector<double>{0, 1, 2});
  for (const double value : {0.7, 12e6, 1e300}) {  // ends that differ by rounding alone
    CHECK(ticks(value, std::nextafter(value, 1e308), 5, false).values.size() <= 1000);
  }
}

TEST_CASE("training curves are smoothed, over the chosen axis") {
  const TemporaryRun folder("run");
  const ReportRun run = folder.run(
      "{\"kind\":\"train\",\"step\":1,\"epoch\":0.5,\"tokens\":100,\"timing\":{\"seconds\":7},"
      "\"loss\":4}\n"
      "{\"kind\":\"train\",\"step\":2,\"epoch\":1,\"tokens\":200,\"timing\":{\"seconds\":9},"
      "\"loss\":1}\n"
      "{\"kind\":\"valid\",\"step\":2,\"epoch\":1,\"tokens\":200,\"timing\":{\"seconds\":9},"
      "\"loss\":3}\n");
  const std::vector<std::string> usual = {"loss"};
  const auto curves = [&](CurveAxis axis) {
    const PlotOptions options{.axis = axis, .smoothing = 0.5};
    return drawn_curves({&run, 1}, chosen_panels({&run, 1}, options, usual).at(0), options, false);
  };
  using Numbers = std::vector<double>;
  CHECK(curves(CurveAxis::step).at(0).x == Numbers{1, 2});
  CHECK(curves(CurveAxis::epoch).at(0).x == Numbers{0.5, 1});
  CHECK(curves(CurveAxis::tokens).at(0).x == Numbers{100, 200});
  CHECK(curves(CurveAxis::seconds).at(0).x == Numbers{7, 9});
  CHECK(curves(CurveAxis::step).at(0).y == Numbers{4, 2});  // (0.5 * 4 * 0.5 + 1 * 0.5) / 0.75
  CHECK(curves(CurveAxis::step).at(1).y == Numbers{3});
  CHECK(axis_title(CurveAxis::epoch) == "epoch");
  CHECK(axis_title(CurveAxis::tokens) == "tokens");
  CHECK(axis_title(CurveAxis::seconds) == "time trained");
}

TEST_CASE("labels are short and tell neighbouring ticks apart") {
  CHECK(value_label(0.0015, 0.0005, ValueFormat::number) == "1.5e-3");
  CHECK(value_label(0.25, 0.25, ValueFormat::number) == "0.2");
  CHECK(value_label(0.971, 0.0005, ValueFormat::percent) == "97.10%");
  CHECK(value_label(3000, 0, ValueFormat::number) == "3000");
  CHECK(short_number(123456, 4) == "123.5k");
  CHECK(clock_label(CurveAxis::seconds, 90) == "1.5 min");
  CHECK(clock_label(CurveAxis::step, -0.0) == "0");
}

TEST_CASE("the figure has a curve for training and one for validation, and only finite numbers") {
  const TemporaryRun folder("<run>");
  const ReportRun run = folder.run(falling_loss(50));
  const std::string svg = figure_svg({&run, 1}, {});
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(count(svg, "fill=\"none\" stroke-linejoin") == 3);  // loss twice, accuracy of validation
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  const std::vector<ReportRun> two = {run, run};
  CHECK(figure_svg(two, {}).find("&lt;run&gt;") != std::string::npos);
}

TEST_CASE("the legend keeps to the figure's width, or widens it for a long name") {
  const TemporaryRun first("multi30k"), second("multi30k-pytorch"), third(std::string(60, 'n'));
  PlotOptions one_panel;
  one_panel.columns = {"loss"};
  std::vector<ReportRun> runs;
  for (const TemporaryRun* folder : {&first, &second, &third}) {
    runs.push_back(folder->run(falling_loss(50)));
    const std::string svg = figure_svg(runs, one_panel);
    const double width = std::stod(svg.substr(svg.find("width=\"") + 7));
    const std::string begin = "<text x=\"";
    int labels = 0;
    for (size_t at = svg.find(begin); at != svg.npos; at = svg.find(begin, at + 1)) {
      const size_t content = svg.find('>', at) + 1;
      if (svg.substr(at, content - at).find("text-anchor=\"start\"") == svg.npos) continue;
      const double x = std::stod(svg.substr(at + begin.size()));
      // A character is about 6 pixels wide.
      CHECK(x + 6 * static_cast<double>(svg.find('<', content) - content) <= width);
      ++labels;
    }
    CHECK(labels > 0);
  }
}

TEST_CASE("a metric that no run has is refused with the list of existing ones") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(falling_loss(50));
  PlotOptions options;
  options.columns = {"blue"};
  CHECK_THROWS_WITH_AS(figure_svg({&run, 1}, options),
                       "no run has a metric 'blue'; the runs have: loss, accuracy", Error);
}

TEST_CASE("a single point, equal values and a log axis without positive values can all be drawn") {
  const TemporaryRun folder;
  PlotOptions logarithmic;
  logarithmic.logarithmic = true;
  for (const char* metrics : {"{\"kind\":\"train\",\"step\":0,\"loss\":0}\n",
                              "{\"kind\":\"train\",\"step\":5,\"loss\":-2}\n",
                              "{\"kind\":\"train\",\"step\":9,\"loss\":2,\"tokens\":12000000}\n",
                              "{\"kind\":\"train\",\"step\":5,\"loss\":1e300}\n{\"kind\":\"train\","
                              "\"step\":6,\"loss\":1e300}\n"}) {
    const ReportRun run = folder.run(metrics);
    PlotOptions over_tokens;
    over_tokens.axis = CurveAxis::tokens;
    for (const PlotOptions& options : {PlotOptions{}, logarithmic, over_tokens}) {
      CHECK(figure_svg({&run, 1}, options).find("nan") == std::string::npos);
      CHECK_FALSE(terminal_plot({&run, 1}, options, {}).empty());
    }
  }
}

TEST_CASE("the terminal plot keeps to its width and uses colour only if requested") {
  const TemporaryRun folder("name\x1b[31m");
  const ReportRun run = folder.run(falling_loss(200));
  const std::vector<ReportRun> two = {run, run};
  for (const int width : {30, 80}) {
    const std::string plain = terminal_plot(two, {}, {width, 8, false, false});
    CHECK(plain.find('\x1b') == std::string::npos);
    size_t longest = 0, start = 0;
    for (size_t end; (end = plain.find('\n', start)) != std::string::npos; start = end + 1) {
      const std::string line = plain.substr(start, end - start);
      if (line.find('|') != std::string::npos) longest = std::max(longest, line.size());
    }
    CHECK(longest <= static_cast<size_t>(width));
    for (const char c : plain) CHECK(static_cast<unsigned char>(c) < 0x80);
  }
  CHECK(terminal_plot(two, {}, {80, 8, true, true}).find("\x1b[34m") != std::string::npos);
}

TEST_CASE("one curve is drawn in Braille even without colour") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(
      "{\"kind\":\"train\",\"step\":1,\"loss\":2}\n{\"kind\":\"train\",\"step\":2,\"loss\":1}\n");
  const std::string plot = terminal_plot({&run, 1}, {}, {80, 8, false, true});
  CHECK(plot.find("\xE2\xA0") != std::string::npos);
  CHECK(plot.find("a training") == std::string::npos);
}
