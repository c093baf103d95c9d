#pragma once
// From the log-probabilities of a word's tokens to its confidence: the probability that a reference
// has the word at this place. A logistic regression, fitted to translations with references.

#include <array>
#include <span>
#include <vector>

namespace calque {

// Natural log-probabilities.
struct WordEvidence {
  double word = 0;      // of the word: the sum over its tokens
  double weakest = 0;   // of its least probable token
  double sentence = 0;  // the mean over the tokens of the sentence
};

struct JudgedWord {
  WordEvidence evidence;
  bool right = false;
};

class Calibration {
 public:
  static constexpr size_t features = 6;
  using Weights = std::array<double, features>;

  explicit Calibration(const Weights& weights) : weights_(weights) {}
  // Requires at least one word.
  static Calibration fit(std::span<const JudgedWord> words);

  double confidence(const WordEvidence& evidence) const;
  const Weights& weights() const { return weights_; }

 private:
  Weights weights_;
};

// A confidence, and what came of it: 1 or 0 for a word, the share of right words for a sentence.
struct Outcome {
  double confidence, truth;
};

// The expected calibration error (Guo et al. 2017): over ten equal ranges of confidence, the mean
// distance between confidence and truth, weighted by the number of outcomes.
double calibration_error(std::span<const Outcome> outcomes);

}  // namespace calque
