// A loss gains about the same with each doubling of the training, and less later. What it still
// gains is a share of that; the other metrics gain with the loss. The shares are measurements over
// whole runs (docs/optimisers.md).
#include "train/report/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace calque {
namespace {

// The gain of the rest of the run relative to a straight continuation: in the middle, and what one
// run in ten falls short of or exceeds.
struct Share {
  double low, middle, high;
};
constexpr Share of_doublings{0.25, 0.44, 0.7};
constexpr Share of_accuracy{0.6, 0.9, 1.2};
constexpr Share the_same{1, 1, 1};  // for metrics that are the loss in another unit
// Of scores of translations, which begin to rise late and then fast.
constexpr Share of_text_score{0.4, 1.2, 2.5};
constexpr double least_text_score = 5;  // before that they say nothing

struct Point {
  double x, y;
};

// The slope of a straight line through the points, and their spread around it.
struct Trend {
  double slope = 0, spread = 0;
};

Trend trend_of(const std::vector<Point>& points) {
  const auto count = static_cast<double>(points.size());
  double x = 0, y = 0, xx = 0, xy = 0, rest = 0;
  for (const Point& p : points) x += p.x / count, y += p.y / count;
  for (const Point& p : points) {
    xx += (p.x - x) * (p.x - x);
    xy += (p.x - x) * (p.y - y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  for (const Point& p : points) {
    const double off = p.y - y - slope * (p.x - x);
    rest += off * off / count;
  }
  return {slope, std::sqrt(rest)};
}

// The validations since a third of the present share of the run.
class Recent {
 public:
  Recent(const ReportRun& run, double done) : run_(run), done_(done) {}

  // The points of one column over another, or over the logarithm of the share of the run.
  std::vector<Point> points(const std::vector<double>* over,
                            const std::vector<double>& values) const {
    std::vector<Point> all;
    for (size_t row = 0; row < values.size(); ++row) {
      const double share = done_ * run_.valid.step[row] / run_.valid.step.back();
      if (share * 3 < done_) continue;
      const Point point{over != nullptr ? (*over)[row] : std::log2(share), values[row]};
      if (std::isfinite(point.x) && std::isfinite(point.y)) all.push_back(point);
    }
    return all;
  }

 private:
  const ReportRun& run_;
  double done_;
};

Prediction ended(const MetricInfo& metric, double now, double low, double middle, double high,
                 double noise) {
  const auto [least, most] = std::minmax({now + low, now + high});
  const bool share = metric.format == ValueFormat::percent;
  const auto possible = [&](double value) {
    return std::clamp(value, 0.0, share ? 1.0 : std::numeric_limits<double>::max());
  };
  return {metric.column, possible(now + middle), possible(least - noise), possible(most + noise)};
}

constexpr size_t fewest = 3;  // validations

std::optional<Prediction> loss_at_end(const ReportRun& run, const Recent& recent, double done) {
  const std::vector<double>* const loss = run.valid.find("loss");
  const MetricInfo* const metric = find_metric(run.metrics, "loss");
  if (loss == nullptr || metric == nullptr || !std::isfinite(loss->back())) return {};
  const std::vector<Point> points = recent.points(nullptr, *loss);
  if (points.size() < fewest) return {};
  const Trend trend = trend_of(points);
  const double rest = -std::log2(done) * trend.slope;
  return ended(*metric, loss->back(), of_doublings.low * rest, of_doublings.middle * rest,
               of_doublings.high * rest, 0.3 * trend.spread);
}

std::optional<Prediction> score_at_end(const ReportRun& run, const Recent& recent,
                                       const MetricInfo& metric, const Prediction& loss) {
  const std::vector<double>* const values = run.valid.find(metric.column);
  const std::vector<double>* const losses = run.valid.find("loss");
  if (values == nullptr || !std::isfinite(values->back())) return {};
  const bool in_text = metric.format == ValueFormat::number && metric.better == Better::higher;
  if (in_text && values->back() < least_text_score) return {};
  const std::vector<Point> points = recent.points(losses, *values);
  if (points.size() < fewest) return {};
  const Trend trend = trend_of(points);
  const bool is_loss = metric.better == Better::lower;
  const Share& part = in_text ? of_text_score : is_loss ? the_same : of_accuracy;
  const double now = losses->back();
  const auto [least, most] = std::minmax({std::abs(loss.low - now), std::abs(loss.high - now)});
  const double sign = loss.value < now ? -1 : 1;
  return ended(metric, values->back(), trend.slope * sign * least * part.low,
               trend.slope * (loss.value - now) * part.middle,
               trend.slope * sign * most * part.high, trend.spread);
}

}  // namespace

std::vector<Prediction> predictions(const ReportRun& run, double done) {
  constexpr double earliest = 0.2;
  std::vector<Prediction> all;
  if (run.valid.rows() < fewest || done < earliest || done >= 1) return all;
  const Recent recent(run, done);
  const std::optional<Prediction> loss = loss_at_end(run, recent, done);
  if (!loss) return all;
  all.push_back(*loss);
  for (const MetricInfo& metric : run.metrics) {
    if (!metric.headline) continue;
    if (const auto score = score_at_end(run, recent, metric, *loss)) all.push_back(*score);
  }
  return all;
}

}  // namespace calque
