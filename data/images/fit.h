#pragma once
// Images of any size become images of one shape. The results equal those of Pillow 13 bit
// for bit.

#include "core/named.h"
#include "data/images/images.h"

namespace calque {

enum class Interpolation { bilinear, bicubic };
inline constexpr Named<Interpolation> interpolations[] = {{"bilinear", Interpolation::bilinear},
                                                          {"bicubic", Interpolation::bicubic}};

// Returns the image with height x width pixels; the proportions may change. A pixel of a smaller
// image is a weighted mean of all the pixels that it covers.
Image resized(Image image, int64_t height, int64_t width, Interpolation interpolation);

// Color images become gray by their luma; gray images get three equal channels.
Image with_channels(Image image, int64_t channels);

// Resizes images and then cuts out their center.
struct ImageFit {
  ImageShape shape;               // of the result
  int64_t height = 0, width = 0;  // before the center is cut out: at least the shape's
  Interpolation interpolation = Interpolation::bilinear;

  ImageFit() = default;
  // Without a cut.
  explicit ImageFit(const ImageShape& to) : shape(to), height(to.height), width(to.width) {}

  Image operator()(Image image) const;
  ImageSet operator()(ImageSet set) const;
  bool operator==(const ImageFit&) const = default;
};

}  // namespace calque
