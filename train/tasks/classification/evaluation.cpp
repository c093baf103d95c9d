#include "train/tasks/classification/evaluation.h"

#include "train/tasks/evaluation.h"

namespace calque {
namespace {

Tensor logits_of(const Classifier& model, std::span<const Example> texts) {
  const PackedExamples packed = pack(texts);
  return model.head.logits(
      model.pooled(packed.columns[0], packed.columns[1], packed.segments, Mode::evaluate));
}

}  // namespace

std::vector<std::vector<double>> class_probabilities(const Classifier& model,
                                                     const std::vector<EncodedText>& texts) {
  BatchShare all;
  std::vector<std::vector<double>> probabilities;
  evaluate_in_order(example_set(texts), {.tokens = class_batch_tokens}, all,
                    [&](const ExampleBatch& batch) {
                      const Tensor p = softmax(logits_of(model, batch.examples));
                      for (int64_t i = 0; i < p.rows(); ++i) {
                        const real* const row = p.data() + i * p.cols();
                        probabilities.emplace_back(row, row + p.cols());
                      }
                      return p.rows();
                    });
  return probabilities;
}

ClassificationResult evaluate_classifier(const Classifier& model, const ClassificationData& data,
                                         double label_smoothing, BatchShare share) {
  return evaluate_classes(example_set(data.examples), data.labels, model.options.head.classes,
                          label_smoothing, share,
                          [&](std::span<const Example> texts) { return logits_of(model, texts); });
}

}  // namespace calque
