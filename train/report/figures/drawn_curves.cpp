#include "train/report/figures/drawn_curves.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace calque {
namespace {

// Exponential moving average with bias correction; gaps stay gaps.
std::vector<double> smoothed(const std::vector<double>& values, double weight) {
  std::vector<double> out(values);
  double average = 0, mass = 0;
  for (double& value : out) {
    if (std::isnan(value)) continue;
    average = weight * average + (1 - weight) * value;
    mass = weight * mass + (1 - weight);
    value = average / mass;
  }
  return out;
}

}  // namespace

std::vector<DrawnCurve> drawn_curves(std::span<const ReportRun> runs, const Panel& panel,
                                     const PlotOptions& options, bool logarithmic) {
  std::vector<DrawnCurve> curves;
  for (const CurveSource source : {CurveSource::train, CurveSource::valid}) {
    for (size_t run = 0; run < runs.size(); ++run) {
      const MetricsTable& table = table_of(runs[run], source);
      const std::vector<double>* column = table.find(panel.column);
      if (!column) continue;
      const bool smooth = source == CurveSource::train && panel.noisy && options.smoothing > 0;
      const std::vector<double> values = smooth ? smoothed(*column, options.smoothing) : *column;
      const std::vector<double>& clock = clock_of(table, options.axis);
      DrawnCurve curve{run, source, {}, {}};
      for (size_t row = 0; row < values.size(); ++row) {
        const bool drawable = !std::isnan(values[row]) && !std::isnan(clock[row]);
        if (!drawable || (logarithmic && values[row] <= 0)) continue;
        curve.x.push_back(clock[row]);
        curve.y.push_back(values[row]);
      }
      if (!curve.x.empty()) curves.push_back(std::move(curve));
    }
  }
  return curves;
}

std::vector<Panel> chosen_panels(std::span<const ReportRun> runs, const PlotOptions& options,
                                 std::span<const std::string> usual) {
  const std::vector<Panel> all = panels_of(runs);
  const bool named = !options.columns.empty();
  std::vector<Panel> chosen;
  for (const std::string& name : named ? std::span<const std::string>(options.columns) : usual) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Panel& panel) { return panel.column == name; });
    const bool known = found != all.end();
    const bool repeated = known && std::ranges::count(chosen, found->column, &Panel::column) > 0;
    if (repeated) continue;  // named twice, or a metric of several runs
    if (known) {
      chosen.push_back(*found);
    } else if (named) {
      std::string names;
      for (const Panel& panel : all) names += (names.empty() ? "" : ", ") + panel.column;
      fail("no run has a metric '{}'; the runs have: {}", name, names);
    }
  }
  if (chosen.empty() && !all.empty()) chosen.push_back(all.front());
  return chosen;
}

std::optional<Extent> extent_of(std::span<const DrawnCurve> curves) {
  std::optional<Extent> box;
  for (const DrawnCurve& curve : curves) {
    const auto [left, right] = std::minmax_element(curve.x.begin(), curve.x.end());
    const auto [bottom, top] = std::minmax_element(curve.y.begin(), curve.y.end());
    if (!box) box = Extent{*left, *right, *bottom, *top};
    box->left = std::min(box->left, *left);
    box->right = std::max(box->right, *right);
    box->bottom = std::min(box->bottom, *bottom);
    box->top = std::max(box->top, *top);
  }
  return box;
}

}  // namespace calque
