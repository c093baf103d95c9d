#include "train/tasks/tagging/evaluation.h"

#include <algorithm>

#include "nn/models/tagger.h"
#include "train/tasks/example_works.h"

namespace calque {
namespace {

LogitsOf logits_of_words(const Classifier& model) {
  return [&](std::span<const Example> windows) {
    return model.head.logits(word_vectors(model, windows, Mode::evaluate));
  };
}

}  // namespace

Tensor word_vectors(const Classifier& model, std::span<const Example> windows, Mode mode) {
  const PackedExamples packed = pack(windows);
  std::vector<int32_t> rows;
  for (size_t i = 0; i < windows.size(); ++i) {
    const int32_t begin = packed.segments.offsets()[i];
    for (const int32_t start : windows[i][1]) rows.push_back(begin + start);
  }
  return token_vectors(model, packed.columns[0], packed.segments, rows, mode);
}

ClassificationResult evaluate_tagger(const Classifier& model, const TaggingData& data,
                                     const Labels& labels, double label_smoothing,
                                     BatchShare share) {
  ClassificationResult result =
      evaluate_classes(example_set(data.examples), data.labels, std::ssize(labels), label_smoothing,
                       std::move(share), logits_of_words(model), data.first_words);
  if (!mark_spans(labels)) return result;
  const auto expected = data.sentences(data.labels, labels),
             predicted = data.sentences(result.predicted, labels);
  SpanCounts spans;
  for (size_t i = 0; i < expected.size(); ++i) spans.add_sentence(expected[i], predicted[i]);
  result.more = {{"f1", spans.f1()}, {"precision", spans.precision()}, {"recall", spans.recall()}};
  return result;
}

std::vector<std::vector<TaggedWord>> tag_sentences(
    const TextClassifierRun& run, const std::vector<std::vector<std::string>>& sentences) {
  std::vector<WordWindow> windows;
  for (const auto& words : sentences) {
    append_windows(words, run.tokenizer, run.config.data.context, windows);
  }
  const auto probabilities =
      class_probabilities(example_set(windows), logits_of_words(run.model()));
  auto next = probabilities.begin();
  std::vector<std::vector<TaggedWord>> tagged;
  for (const auto& words : sentences) {
    tagged.emplace_back();
    for (const std::string& word : words) {
      const auto best = std::ranges::max_element(*next);
      const auto tag = static_cast<size_t>(best - next->begin());
      tagged.back().push_back({word, run.labels[tag], *best});
      ++next;
    }
  }
  return tagged;
}

}  // namespace calque
