#include "train/tasks/images/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "train/tasks/images/evaluation.h"

namespace calque {

ImageExplanation explain_image(const ImageRun& run, const std::string& path) {
  const VisionTransformer& model = run.model();
  const Image image = run.read(path);
  ImageExplanation explanation{
      .file = std::filesystem::path(path).filename().string(),
      .model = fmt::format("{}, step {}", run.checkpoint, run.step),
      .height = image.shape.height,
      .width = image.shape.width,
      .channels = image.shape.channels,
      .patch = model.options.patch,
      .pixels = image.pixels,
      .attention_of = model.cls ? "the token that is classified" : "all patches, the mean",
      .classes = {},
      .attention = attention_to_patches(model, run.preparation, image.pixels)};
  const std::vector<double> probabilities =
      class_probabilities(model, run.preparation, image.pixels);
  for (size_t i = 0; i < probabilities.size(); ++i) {
    explanation.classes.emplace_back(run.labels[i], probabilities[i]);
  }
  std::ranges::stable_sort(explanation.classes, std::ranges::greater(),
                           &std::pair<std::string, double>::second);
  return explanation;
}

}  // namespace calque
