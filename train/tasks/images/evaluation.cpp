#include "train/tasks/images/evaluation.h"

#include "core/tape.h"

namespace calque {

Tensor normalised_pixels(const ImagePreparation& preparation, std::span<const Example> images) {
  std::vector<uint8_t> pixels;
  for (const Example& image : images) {
    for (const int32_t pixel : image[0]) pixels.push_back(static_cast<uint8_t>(pixel));
  }
  return preparation.normalised(pixels);
}

ClassificationResult evaluate_images(const VisionTransformer& model,
                                     const ImagePreparation& preparation, const ImageData& data,
                                     double label_smoothing, BatchShare share) {
  return evaluate_classes(example_set(data, model.options.tokens(), {}, 0), data.labels,
                          model.options.head.classes, label_smoothing, share,
                          [&](std::span<const Example> images) {
                            return model.head.logits(model.pooled(
                                normalised_pixels(preparation, images), Mode::evaluate));
                          });
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
