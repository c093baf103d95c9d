#include "train/tasks/images/image_evaluation.h"

#include <algorithm>

#include "core/tape.h"
#include "train/task.h"

namespace calque {
namespace {

constexpr int64_t tokens_at_once = 4096;

}  // namespace

ClassificationResult evaluate_images(const VisionTransformer& model, const PixelScale& scale,
                                     const ImageData& data, double label_smoothing,
                                     const std::function<void()>& between) {
  const NoGradient nothing_recorded;
  ClassificationResult result{
      .sums = {}, .confusion = ConfusionMatrix(model.options.head.classes), .predicted = {}};
  const int64_t at_once = std::max<int64_t>(1, tokens_at_once / model.options.tokens());
  for (int64_t first = 0; first < data.count(); first += at_once) {
    const int64_t end = std::min(data.count(), first + at_once);
    std::vector<uint8_t> pixels;
    for (int64_t i = first; i < end; ++i) {
      const auto image = data.image(i);
      pixels.insert(pixels.end(), image.begin(), image.end());
    }
    const auto labels = std::span(data.labels)
                            .subspan(static_cast<size_t>(first), static_cast<size_t>(end - first));
    const Tensor logits = model.head.logits(model.pooled(scale.normalised(pixels), Mode::evaluate));
    result.sums += summed(cross_entropy(logits, labels, static_cast<real>(label_smoothing))).sums();
    for (int64_t i = 0; i < logits.rows(); ++i) {
      const real* const row = logits.data() + i * logits.cols();
      const auto best = static_cast<int32_t>(std::max_element(row, row + logits.cols()) - row);
      result.predicted.push_back(best);
      result.confusion.add(labels[static_cast<size_t>(i)], best);
    }
    if (between) between();
  }
  return result;
}

std::vector<double> class_probabilities(const VisionTransformer& model, const PixelScale& scale,
                                        std::span<const uint8_t> image) {
  const NoGradient nothing_recorded;
  const Tensor p =
      softmax(model.head.logits(model.pooled(scale.normalised(image), Mode::evaluate)));
  return {p.data(), p.data() + p.cols()};
}

}  // namespace calque
