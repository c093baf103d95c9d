#pragma once
// Evaluates a tagger on tagged sentences, and tags new ones.

#include <string>
#include <vector>

#include "train/metrics/spans.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/tagging/data.h"

namespace calque {

// The vectors [words, d_model] of the words of the windows.
Tensor word_vectors(const Classifier& model, std::span<const Example> windows, Mode mode);

// Computes the batches of the share and returns the result over all batches, with the scores of
// spans if the labels mark spans.
ClassificationResult evaluate_tagger(const Classifier& model, const TaggingData& data,
                                     const Labels& labels, double label_smoothing,
                                     BatchShare share = {});

struct TaggedWord {
  std::string word, tag;
  double probability = 0;
};
std::vector<std::vector<TaggedWord>> tag_sentences(
    const TextClassifierRun& run, const std::vector<std::vector<std::string>>& sentences);

}  // namespace calque
