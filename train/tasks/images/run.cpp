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

ImageRun open_image_run(const std::string& place) {
  const RunLocation found = find_run(place, TaskKind::images);
  ImageRun run;
  run.config = found.config;
  run.labels = load_labels(found.folder);
  run.preparation = load_preparation(found.folder);
  run.network = std::make_unique<TaskModel<VisionTransformer>>(
      vision_options(run.config, run.preparation.fit.shape, std::ssize(run.labels)));
  const LoadedWeights loaded = load_weights(found, run.network->parameters, no_tokenizer_hash());
  run.checkpoint = loaded.checkpoint;
  run.step = loaded.step;
  return run;
}

}  // namespace calque
