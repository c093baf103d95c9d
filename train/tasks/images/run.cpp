#include "train/tasks/images/run.h"

#include "core/error.h"
#include "data/files/content_hash.h"

namespace calque {

VisionOptions vision_options(const Config& config, const ImageShape& shape, int64_t classes) {
  const int64_t patch = config.model.patch;
  if (shape.height % patch != 0 || shape.width % patch != 0) {
    fail(
        "model.patch: {} does not divide the images of {} x {} pixels; use a divisor of both sides",
        patch, shape.width, shape.height);
  }
  VisionOptions options;
  options.layer = config.model;
  options.layers = config.model.layers;
  options.height = shape.height;
  options.width = shape.width;
  options.channels = shape.channels;
  options.patch = patch;
  options.head = {.classes = classes,
                  .pooling = config.model.pooling,
                  .dense = false,
                  .dropout = config.model.dropout};
  return options;
}

Image ImageRun::read(const std::string& path) const { return preparation.fit(read_image(path)); }

std::string no_tokenizer_hash() { return hexadecimal(content_hash("images")); }

ImageRun open_image_run(const RunPlace& place) {
  return open_run_of<ImageRun>(TaskKind::images, place, [](ImageRun& run) {
    run.labels = load_labels(run.folder);
    run.preparation = load_preparation(run.folder);
    return std::pair(vision_options(run.config, run.preparation.fit.shape, std::ssize(run.labels)),
                     no_tokenizer_hash());
  });
}

}  // namespace calque
