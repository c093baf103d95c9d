#include "train/tasks/translation/confidence/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace calque {
namespace {

constexpr size_t features = Calibration::features;
using Row = std::array<double, features>;

// Log-probabilities below -10 say no more than -10.
Row features_of(const WordEvidence& evidence) {
  const auto limited = [](double log) { return std::clamp(log, -10.0, 0.0); };
  const double word = limited(evidence.word), weakest = limited(evidence.weakest),
               sentence = limited(evidence.sentence);
  return {1, word, std::exp(word), std::exp(weakest), sentence, std::exp(sentence)};
}

double logistic(const Row& weights, const Row& x) {
  double sum = 0;
  for (size_t i = 0; i < features; ++i) sum += weights[i] * x[i];
  return 1 / (1 + std::exp(-sum));
}

// Solves a x = b for a symmetric positive definite a, by elimination.
Row solved(std::array<Row, features> a, Row b) {
  for (size_t i = 0; i < features; ++i) {
    for (size_t row = i + 1; row < features; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (size_t col = i; col < features; ++col) a[row][col] -= factor * a[i][col];
      b[row] -= factor * b[i];
    }
  }
  for (size_t i = features; i-- > 0;) {
    for (size_t col = i + 1; col < features; ++col) b[i] -= a[i][col] * b[col];
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
  Row weights{};
  for (int step = 0; step < steps; ++step) {
    std::array<Row, features> curvature{};
    Row slope{};
    for (size_t i = 0; i < features; ++i) {
      curvature[i][i] = prior;
      slope[i] = -prior * weights[i];
    }
    for (const JudgedWord& word : words) {
      const Row x = features_of(word.evidence);
      const double p = logistic(weights, x), error = (word.right ? 1 : 0) - p;
      for (size_t i = 0; i < features; ++i) {
        slope[i] += error * x[i];
        for (size_t j = 0; j < features; ++j) curvature[i][j] += p * (1 - p) * x[i] * x[j];
      }
    }
    const Row change = solved(curvature, slope);
    for (size_t i = 0; i < features; ++i) weights[i] += std::clamp(change[i], -2.0, 2.0);
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
