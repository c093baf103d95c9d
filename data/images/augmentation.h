#pragma once
// Random changes of training images that keep their class: one affine map with bilinear
// interpolation, a flip and an erased rectangle. augment() is a pure function of its arguments, so
// a resumed run sees the same images.

#include "core/random.h"
#include "data/images/images.h"

namespace calque {

struct Augmentation {
  int64_t shift = 0;  // up to this many pixels in each direction; the gap is filled with black
  bool flip = false;  // swap left and right in half of the images
  double rotate = 0;  // up to this many degrees in each direction
  double scale = 0;   // larger or smaller by up to this fraction
  double erase = 0;   // the probability that a rectangle gets one random color

  bool operator==(const Augmentation&) const = default;
};

// The random stream of image `number` in an epoch.
Stream augmentation_stream(uint64_t seed, int64_t epoch, int64_t number);

// image and result: [height, width, channels].
void augment(std::span<const uint8_t> image, const ImageShape& shape, const Augmentation& options,
             const Stream& stream, std::span<int32_t> result);

}  // namespace calque
