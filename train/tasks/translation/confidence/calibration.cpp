#include "train/tasks/translation/confidence/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace calque {
namespace {

constexpr size_t feature_count = Calibration::features;
using FeatureVector = Calibration::Weights;

// Log-probabilities below -10 say no more than -10.
FeatureVector features_of(const WordEvidence& evidence) {
  const auto limited = [](double log) { return std::clamp(log, -10.0, 0.0); };
  const double word = limited(evidence.word), weakest = limited(evidence.weakest),
               sentence = limited(evidence.sentence);
  return {1, word, std::exp(word), std::exp(weakest), sentence, std::exp(sentence)};
}

double logistic(const FeatureVector& weights, const FeatureVector& x) {
  double sum = 0;
  for (size_t i = 0; i < feature_count; ++i) sum += weights[i] * x[i];
  return 1 / (1 + std::exp(-sum));
}

// Solves a x = b for a symmetric positive definite a, by elimination.
FeatureVector solved(std::array<FeatureVector, feature_count> a, FeatureVector b) {
  for (size_t i = 0; i < feature_count; ++i) {
    for (size_t row = i + 1; row < feature_count; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (size_t col = i; col < feature_count; ++col) a[row][col] -= factor * a[i][col];
      b[row] -= factor * b[i];
    }
  }
  for (size_t i = feature_count; i-- > 0;) {
    for (size_t col = i + 1; col < feature_count; ++col) b[i] -= a[i][col] * b[col];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

double Calibration::confidence(const WordEvidence& evidence) const {
  return logistic(weights_, features_of(evidence));
}

// Newton's method. The weights have a normal prior of deviation 10, so that they stay finite if all
// words are right.
Calibration Calibration::fit(std::span<const JudgedWord> words) {
  require(!words.empty(), "Calibration: no words");
  constexpr double prior = 1 / (10.0 * 10.0);
  constexpr int steps = 30;
  FeatureVector weights{};
  for (int step = 0; step < steps; ++step) {
    std::array<FeatureVector, feature_count> curvature{};
    FeatureVector slope{};
    for (size_t i = 0; i < feature_count; ++i) {
      curvature[i][i] = prior;
      slope[i] = -prior * weights[i];
    }
    for (const JudgedWord& word : words) {
      const FeatureVector x = features_of(word.evidence);
      const double p = logistic(weights, x), error = (word.right ? 1 : 0) - p;
      for (size_t i = 0; i < feature_count; ++i) {
        slope[i] += error * x[i];
        for (size_t j = 0; j < feature_count; ++j) curvature[i][j] += p * (1 - p) * x[i] * x[j];
      }
    }
    const FeatureVector change = solved(curvature, slope);
    for (size_t i = 0; i < feature_count; ++i) weights[i] += std::clamp(change[i], -2.0, 2.0);
  }
  return Calibration(weights);
}

double calibration_error(std::span<const Outcome> outcomes) {
  constexpr size_t ranges = 10;
  std::array<std::pair<double, double>, ranges> sums{};  // of confidences and of truths
  for (const Outcome& each : outcomes) {
    const auto range = static_cast<size_t>(each.confidence * ranges);
    auto& [confidence, truth] = sums[std::min(range, ranges - 1)];
    confidence += each.confidence;
    truth += each.truth;
  }
  double error = 0;
  for (const auto& [confidence, truth] : sums) error += std::abs(confidence - truth);
  return outcomes.empty() ? 0 : error / static_cast<double>(outcomes.size());
}

}  // namespace calque
