#pragma once
// How an image becomes the input of a model: it is resized to the model's shape, and each channel
// is normalised.

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "data/images/fit.h"

namespace calque {

struct ImagePreparation {
  ImageFit fit = {};
  std::vector<double> mean = {}, deviation = {};  // [channels], of pixels between 0 and 1

  // pixels [images x size] -> [images, size]
  Tensor normalised(std::span<const uint8_t> pixels) const;
  bool operator==(const ImagePreparation&) const = default;
};

}  // namespace calque
