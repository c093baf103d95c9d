#include "train/tasks/images/evaluation.h"

#include <algorithm>

#include "core/tape.h"
#include "train/task.h"

namespace calque {
namespace {

constexpr int64_t tokens_at_once = 4096;

}  // namespace

ClassificationResult evaluate_images(const VisionTransformer& model,
                                     const ImagePreparation& preparation, const ImageData& data,
                                     double label_smoothing, BatchShare share) {
  const NoGradient nothing_recorded;
  ClassifiedBatches batches(std::move(share));
  const int64_t at_once = std::max<int64_t>(1, tokens_at_once / model.options.tokens());
  for (int64_t first = 0; first < data.count(); first += at_once) {
    const int64_t end = std::min(data.count(), first + at_once);
    const auto labels = std::span(data.labels)
                            .subspan(static_cast<size_t>(first), static_cast<size_t>(end - first));
    batches.add(labels, label_smoothing, [&] {
      std::vector<uint8_t> pixels;
      for (int64_t i = first; i < end; ++i) {
        const auto image = data.image(i);
        pixels.insert(pixels.end(), image.begin(), image.end());
      }
      return model.head.logits(model.pooled(preparation.normalised(pixels), Mode::evaluate));
    });
  }
  return batches.result(model.options.head.classes);
}

std::vector<double> class_probabilities(const VisionTransformer& model,
                                        const ImagePreparation& preparation,
                                        std::span<const uint8_t> image) {
  const NoGradient nothing_recorded;
  const Tensor p =
      softmax(model.head.logits(model.pooled(preparation.normalised(image), Mode::evaluate)));
  return {p.data(), p.data() + p.cols()};
}

std::vector<std::vector<std::vector<double>>> attention_to_patches(
    const VisionTransformer& model, const ImagePreparation& preparation,
    std::span<const uint8_t> image) {
  const NoGradient nothing_recorded;
  AttentionRecord record;
  model.pooled(preparation.normalised(image), Mode::evaluate, &record);
  const int64_t tokens = model.options.tokens(), patches = model.options.patches();
  const int64_t queries = model.cls ? 1 : tokens;  // of the learned token, or of all
  std::vector<std::vector<std::vector<double>>> layers;
  for (const AttentionRecord::Entry& entry : record.entries) {
    const real* weights = entry.sentences.front().data();
    auto& heads = layers.emplace_back();
    for (int64_t head = 0; head < model.options.layer.heads; ++head, weights += tokens * tokens) {
      auto& seen = heads.emplace_back(static_cast<size_t>(patches));
      for (int64_t query = 0; query < queries; ++query) {
        const real* const row = weights + query * tokens + (tokens - patches);
        for (int64_t p = 0; p < patches; ++p) {
          seen[static_cast<size_t>(p)] +=
              static_cast<double>(row[p]) / static_cast<double>(queries);
        }
      }
    }
  }
  return layers;
}

}  // namespace calque
