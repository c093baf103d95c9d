#pragma once
// The explanation of an image by a trained Vision Transformer.

#include <string>

#include "train/report/pages/image_page.h"
#include "train/tasks/images/run.h"

namespace calque {

// The probabilities of the classes, most probable first, and the attention to the patches. Throws
// an Error if the file is no image.
ImageExplanation explain_image(const ImageRun& run, const std::string& path);

}  // namespace calque
