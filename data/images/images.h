#pragma once
// Labelled images of one size, in memory: files in MNIST's IDX format, a folder of PNG and JPEG
// files for each class, or drawn shapes. A pixel has one byte per channel, channels last.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/toy/toy.h"

namespace calque {

struct ImageShape {
  int64_t height = 0, width = 0, channels = 0;  // 1 (gray) or 3 (red, green, blue)

  int64_t size() const { return height * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

struct Image {
  ImageShape shape;
  std::vector<uint8_t> pixels;
};

struct ImageSet {
  ImageShape shape;
  std::vector<uint8_t> pixels;  // of all images
  std::vector<std::string> labels;
  std::vector<std::string> files;  // of a folder, else empty

  int64_t count() const { return std::ssize(labels); }
  std::span<const uint8_t> image(int64_t number) const {
    return std::span(pixels).subspan(static_cast<size_t>(number * shape.size()),
                                     static_cast<size_t>(shape.size()));
  }
};

// The sides of an image have at most this many pixels.
inline constexpr int64_t largest_image_side = 4096;

// The functions that read files throw an Error that names the file and what is wrong with it.

// A PNG or JPEG file. Transparent parts become black, and 16 bits become 8.
Image read_image(const std::string& path);

// FOLDER/LABEL/*.png, .jpg and .jpeg, in the order of their names. Other files are ignored. `fit`
// is applied to each image; without it, all images must have one shape.
ImageSet read_image_folder(const std::string& folder,
                           const std::function<Image(Image)>& fit = nullptr);

// Two IDX files, plain, gzip or zstd: bytes of [images, rows, columns], and the label of each.
ImageSet read_idx(const std::string& images, const std::string& labels);
// The labels beside train-images-idx3-ubyte.gz: train-labels-idx1-ubyte.gz. Empty for other names.
std::string idx_labels_beside(const std::string& images);

// Discs, squares, crosses and stripes of any size, place and brightness in noise: 16 x 16, gray.
ImageSet toy_shapes(Split split, int64_t count, uint64_t seed);

}  // namespace calque
