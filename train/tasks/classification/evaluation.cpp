#include "train/tasks/classification/evaluation.h"

#include "train/tasks/example_works.h"

namespace calque {
namespace {

LogitsOf logits_of(const Classifier& model) {
  return [&](std::span<const Example> texts) {
    return model.head.logits(text_vectors(model, texts, Mode::evaluate));
  };
}

}  // namespace

Tensor text_vectors(const Classifier& model, std::span<const Example> texts, Mode mode) {
  const PackedExamples packed = pack(texts);
  return model.pooled(packed.columns[0], packed.columns[1], packed.segments, mode);
}

std::vector<std::vector<double>> class_probabilities(const Classifier& model,
                                                     const std::vector<EncodedText>& texts) {
  return class_probabilities(example_set(texts), logits_of(model));
}

ClassificationResult evaluate_classifier(const Classifier& model, const ClassificationData& data,
                                         double label_smoothing, BatchShare share) {
  return evaluate_classes(example_set(data.examples), data.labels, model.options.head.classes,
                          label_smoothing, std::move(share), logits_of(model));
}

}  // namespace calque
