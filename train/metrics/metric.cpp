#include "train/metrics/metric.h"

namespace calque {
namespace {

// Makes a Metric from three functions: statistics(hypotheses, references), of_sums(sums), which
// returns the score with all details, and signature(references, resampling), which returns the text
// that names the settings of the score.
template <class Statistics, class OfSums, class Signature>
Metric metric_of(Statistics statistics, OfSums of_sums, Signature signature, int decimals) {
  return {.statistics = statistics,
          .score = [=](auto sums) { return of_sums(sums).score; },
          .line =
              [=](auto sums, size_t references, const auto& confidence, auto resampling) {
                auto score = of_sums(sums);
                score.confidence = confidence;
                score.signature = signature(references, resampling);
                return score.text(decimals);
              }};
}

}  // namespace

std::string Metric::head(std::span<const double> sums, size_t references,
                         std::string_view resampling) const {
  const std::string text = line(sums, references, {}, resampling);
  return text.substr(0, text.find(" = "));
}

Metric bleu_metric(const BleuOptions& options, int decimals) {
  return metric_of(
      [options](Hypotheses hypotheses, References references) {
        return bleu_statistics(hypotheses, references, options);
      },
      [options](auto sums) { return bleu_of_sums(sums, options); },
      [options](size_t references, auto resampling) {
        return bleu_signature(references, options, resampling);
      },
      decimals);
}

Metric chrf_metric(const ChrfOptions& options, int decimals) {
  return metric_of(
      [options](Hypotheses hypotheses, References references) {
        return chrf_statistics(hypotheses, references, options);
      },
      [options](auto sums) { return chrf_of_sums(sums, options); },
      [options](size_t references, auto resampling) {
        return chrf_signature(references, options, resampling);
      },
      decimals);
}

Metric ter_metric(const TerOptions& options, int decimals) {
  Metric metric = metric_of(
      [options](Hypotheses hypotheses, References references) {
        return ter_statistics(hypotheses, references, options);
      },
      [](auto sums) { return ter_of_sums(sums); },
      [options](size_t references, auto resampling) {
        return ter_signature(references, options, resampling);
      },
      decimals);
  metric.better = Better::lower;
  return metric;
}

}  // namespace calque
