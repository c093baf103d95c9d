#pragma once
// A trained Vision Transformer in use, with the weights of one of its checkpoints.

#include <string>

#include "nn/models/vision.h"
#include "train/tasks/images/data.h"
#include "train/tasks/opened_run.h"

namespace calque {

struct ImageRun : OpenedRun<VisionTransformer> {
  Labels labels;
  ImagePreparation preparation;

  // The image in the shape that the model reads. Throws an Error if the file is no image.
  Image read(const std::string& path) const;
};

// Throws Error for a run of another task.
ImageRun open_image_run(const RunPlace& place);

// Throws an Error if the patches do not fit the images.
VisionOptions vision_options(const Config& config, const ImageShape& shape, int64_t classes);

// Images have no tokenizer; the trainer compares this instead of a tokenizer's hash.
std::string no_tokenizer_hash();

}  // namespace calque
