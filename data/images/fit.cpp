#include "data/images/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace calque {
namespace {

// Weights are whole multiples of 2^-22, so the sums are exact.
constexpr int weight_bits = 22;

double bilinear(double x) { return std::max(0.0, 1 - std::abs(x)); }

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// A number of the result is the sum of the numbers from `first` on, each times its weight.
struct Window {
  int64_t first;
  std::vector<int32_t> weights;
};

// The windows of an axis that is resized from `from` to `to` numbers.
std::vector<Window> windows_of(int64_t from, int64_t to, Interpolation interpolation) {
  const bool cubic = interpolation == Interpolation::bicubic;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(scale, 1.0), radius = (cubic ? 2 : 1) * stretch;
  std::vector<Window> windows;
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<int64_t>(std::max(0.0, center - radius + 0.5));
    const auto end =
        static_cast<int64_t>(std::min(static_cast<double>(from), center + radius + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int64_t j = first; j < end; ++j) {
      const double x = (static_cast<double>(j) - center + 0.5) / stretch;
      sum += weights.emplace_back(cubic ? bicubic(x) : bilinear(x));
    }
    Window window{first, {}};
    for (const double weight : weights) {
      window.weights.push_back(
          static_cast<int32_t>(std::lround(weight / sum * (1 << weight_bits))));
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

// Applies a window and rounds. `at` points to the first number of the axis, whose numbers are
// `stride` apart.
uint8_t weighted_sum(const Window& window, const uint8_t* at, int64_t stride) {
  int64_t sum = 1 << (weight_bits - 1);
  at += window.first * stride;
  for (const int32_t weight : window.weights) {
    sum += int64_t{weight} * *at;
    at += stride;
  }
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> weight_bits, 0, 255));
}

Image resized_rows(const Image& image, int64_t width, Interpolation interpolation) {
  const auto& [height, old_width, channels] = image.shape;
  const std::vector<Window> windows = windows_of(old_width, width, interpolation);
  Image result{{height, width, channels}, {}};
  result.pixels.reserve(static_cast<size_t>(result.shape.size()));
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* row = image.pixels.data() + y * old_width * channels;
    for (const Window& window : windows) {
      for (int64_t k = 0; k < channels; ++k) {
        result.pixels.push_back(weighted_sum(window, row + k, channels));
      }
    }
  }
  return result;
}

Image resized_columns(const Image& image, int64_t height, Interpolation interpolation) {
  const int64_t row = image.shape.width * image.shape.channels;
  Image result{{height, image.shape.width, image.shape.channels}, {}};
  result.pixels.reserve(static_cast<size_t>(result.shape.size()));
  for (const Window& window : windows_of(image.shape.height, height, interpolation)) {
    for (int64_t i = 0; i < row; ++i) {
      result.pixels.push_back(weighted_sum(window, image.pixels.data() + i, row));
    }
  }
  return result;
}

Image center_of(Image image, int64_t height, int64_t width) {
  if (image.shape.height == height && image.shape.width == width) return image;
  const auto& [old_height, old_width, channels] = image.shape;
  const int64_t top = (old_height - height) / 2, left = (old_width - width) / 2;
  Image result{{height, width, channels}, {}};
  for (int64_t y = top; y < top + height; ++y) {
    const auto row = image.pixels.begin() + (y * old_width + left) * channels;
    result.pixels.insert(result.pixels.end(), row, row + width * channels);
  }
  return result;
}

}  // namespace

// The numbers between the two passes are rounded, so the order of the passes matters. It is that of
// Pillow 13.
Image resized(Image image, int64_t height, int64_t width, Interpolation interpolation) {
  const bool rows_change = width != image.shape.width;
  const int64_t fewer_rows = image.shape.height - height;
  const int64_t fewer_columns = image.shape.width - width;
  const bool columns_first = fewer_rows > 0 && fewer_rows > 2 * fewer_columns;
  if (rows_change && !columns_first) image = resized_rows(image, width, interpolation);
  if (fewer_rows != 0) image = resized_columns(image, height, interpolation);
  if (rows_change && columns_first) image = resized_rows(image, width, interpolation);
  return image;
}

Image with_channels(Image image, int64_t channels) {
  if (image.shape.channels == channels) return image;
  Image result{{image.shape.height, image.shape.width, channels}, {}};
  const std::vector<uint8_t>& from = image.pixels;
  result.pixels.reserve(static_cast<size_t>(result.shape.size()));
  if (channels == 3) {
    for (const uint8_t gray : from) result.pixels.insert(result.pixels.end(), 3, gray);
    return result;
  }
  for (size_t i = 0; i < from.size(); i += 3) {
    const uint32_t luma = 19595U * from[i] + 38470U * from[i + 1] + 7471U * from[i + 2];
    result.pixels.push_back(static_cast<uint8_t>((luma + 0x8000) >> 16));
  }
  return result;
}

Image ImageFit::operator()(Image image) const {
  image = with_channels(std::move(image), shape.channels);
  image = resized(std::move(image), height, width, interpolation);
  return center_of(std::move(image), shape.height, shape.width);
}

ImageSet ImageFit::operator()(ImageSet set) const {
  if (set.shape == shape && height == shape.height && width == shape.width) return set;
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<size_t>(set.count() * shape.size()));
  for (int64_t i = 0; i < set.count(); ++i) {
    const std::span<const uint8_t> image = set.image(i);
    const Image fitted = (*this)(Image{set.shape, {image.begin(), image.end()}});
    pixels.insert(pixels.end(), fitted.pixels.begin(), fitted.pixels.end());
  }
  set.shape = shape;
  set.pixels = std::move(pixels);
  return set;
}

}  // namespace calque
