#include "data/images/preparation.h"

#include <array>

#include "core/error.h"

namespace calque {

Tensor ImagePreparation::normalised(std::span<const uint8_t> pixels) const {
  require(fit.shape.size() > 0, "ImagePreparation: the images have no pixels");
  const auto channels = static_cast<size_t>(fit.shape.channels);
  std::vector<std::array<real, 256>> tables(channels);  // normalised, by the value of a pixel
  for (size_t k = 0; k < channels; ++k) {
    for (size_t value = 0; value < 256; ++value) {
      tables[k][value] =
          static_cast<real>((static_cast<double>(value) / 255 - mean[k]) / deviation[k]);
    }
  }
  Tensor numbers({std::ssize(pixels) / fit.shape.size(), fit.shape.size()});
  for (size_t i = 0; i < pixels.size(); ++i) numbers.data()[i] = tables[i % channels][pixels[i]];
  return numbers;
}

}  // namespace calque
