#include "data/images/augmentation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace calque {
namespace {

// Maps a pixel (row, column) of the result to the point of the image that it is read from.
struct Affine {
  double row_by_row = 1, row_by_column = 0, row0 = 0;
  double column_by_row = 0, column_by_column = 1, column0 = 0;
};

double symmetric(Random& random, double limit) { return limit * (2 * random.uniform() - 1); }

// Rotates and scales about the centre, then shifts by whole pixels, then flips. Draws the same
// number of random numbers whatever the options are.
Affine draw_map(const ImageShape& shape, const Augmentation& options, Random& random) {
  const double angle = symmetric(random, options.rotate) * std::numbers::pi / 180;
  const double size = 1 + symmetric(random, options.scale);
  const auto steps = static_cast<uint64_t>(2 * options.shift + 1);
  const double down = static_cast<double>(random.below(steps)) - static_cast<double>(options.shift);
  const double right =
      static_cast<double>(random.below(steps)) - static_cast<double>(options.shift);
  const bool flips = random.uniform() < 0.5 && options.flip;
  const double c = std::cos(angle) / size, s = std::sin(angle) / size;
  const double middle_row = static_cast<double>(shape.height - 1) / 2;
  const double middle_column = static_cast<double>(shape.width - 1) / 2;
  Affine map{c, -s, 0, s, c, 0};
  map.row0 = middle_row - c * (middle_row + down) + s * (middle_column + right);
  map.column0 = middle_column - s * (middle_row + down) - c * (middle_column + right);
  if (flips) {  // column -> width - 1 - column
    map.row0 += map.row_by_column * 2 * middle_column;
    map.column0 += map.column_by_column * 2 * middle_column;
    map.row_by_column = -map.row_by_column;
    map.column_by_column = -map.column_by_column;
  }
  return map;
}

void warp(std::span<const uint8_t> image, const ImageShape& shape, const Affine& map,
          std::span<int32_t> result) {
  const auto pixel = [&](int64_t row, int64_t column, int64_t channel) -> double {
    if (row < 0 || column < 0 || row >= shape.height || column >= shape.width) return 0;
    return image[static_cast<size_t>((row * shape.width + column) * shape.channels + channel)];
  };
  size_t next = 0;
  for (int64_t y = 0; y < shape.height; ++y) {
    for (int64_t x = 0; x < shape.width; ++x) {
      const auto v = static_cast<double>(y), u = static_cast<double>(x);
      const double from_row = map.row_by_row * v + map.row_by_column * u + map.row0;
      const double from_column = map.column_by_row * v + map.column_by_column * u + map.column0;
      const double row = std::floor(from_row), column = std::floor(from_column);
      const double down = from_row - row, right = from_column - column;
      const auto r = static_cast<int64_t>(row), c = static_cast<int64_t>(column);
      for (int64_t k = 0; k < shape.channels; ++k) {
        const double upper = pixel(r, c, k) * (1 - right) + pixel(r, c + 1, k) * right;
        const double lower = pixel(r + 1, c, k) * (1 - right) + pixel(r + 1, c + 1, k) * right;
        result[next++] = static_cast<int32_t>(std::lround(upper * (1 - down) + lower * down));
      }
    }
  }
}

// Random erasing (Zhong et al. 2017, with fewer choices): the sides of the rectangle are a tenth to
// a half of those of the image.
void erase_rectangle(const ImageShape& shape, Random& random, std::span<int32_t> result) {
  const auto length = [&](int64_t side) {
    const double share = 0.1 + 0.4 * random.uniform();
    return std::max<int64_t>(1, std::llround(share * static_cast<double>(side)));
  };
  const int64_t height = length(shape.height), width = length(shape.width);
  const auto place = [&](int64_t side, int64_t taken) {
    return static_cast<int64_t>(random.below(static_cast<uint64_t>(side - taken + 1)));
  };
  const int64_t top = place(shape.height, height), left = place(shape.width, width);
  for (int64_t k = 0; k < shape.channels; ++k) {
    const auto color = static_cast<int32_t>(random.below(256));
    for (int64_t row = top; row < top + height; ++row) {
      for (int64_t column = left; column < left + width; ++column) {
        result[static_cast<size_t>((row * shape.width + column) * shape.channels + k)] = color;
      }
    }
  }
}

}  // namespace

Stream augmentation_stream(uint64_t seed, int64_t epoch, int64_t number) {
  return {.seed = seed,
          .step = static_cast<uint32_t>(epoch),
          .part = static_cast<uint32_t>(number),
          .use = static_cast<uint32_t>(hash_text("augmentation"))};
}

void augment(std::span<const uint8_t> image, const ImageShape& shape, const Augmentation& options,
             const Stream& stream, std::span<int32_t> result) {
  Random random(stream);
  const Affine map = draw_map(shape, options, random);
  if (options == Augmentation{}) {
    std::ranges::copy(image, result.begin());
  } else {
    warp(image, shape, map, result);
  }
  if (random.uniform() < options.erase) erase_rectangle(shape, random, result);
}

}  // namespace calque
