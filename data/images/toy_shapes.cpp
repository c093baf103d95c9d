// Drawn shapes: a pure function of split, seed and the image's number.
#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "data/images/images.h"

namespace calque {
namespace {

constexpr int64_t side = 16;
constexpr const char* shape_names[] = {"cross", "disc", "square", "stripes"};

// Whether the point (x, y), relative to the centre in units of the radius, belongs to the shape.
bool covers(int64_t shape, double x, double y) {
  const double far = std::max(std::abs(x), std::abs(y));
  switch (shape) {
    case 0:
      return far <= 1 && std::min(std::abs(x), std::abs(y)) < 0.35;
    case 1:
      return x * x + y * y <= 1.1;
    case 2:
      return far <= 0.9;
    default:
      return far <= 1 && std::fmod(y + 1, 0.8) < 0.4;
  }
}

void draw(int64_t shape, Random& random, std::span<uint8_t> pixels) {
  const double radius = 3 + 3 * random.uniform();
  const auto centre = [&] { return radius + (side - 1 - 2 * radius) * random.uniform(); };
  const double row0 = centre(), column0 = centre();
  const double ink = 120 + 110 * random.uniform();
  for (int64_t row = 0; row < side; ++row) {
    for (int64_t column = 0; column < side; ++column) {
      const bool inside = covers(shape, (static_cast<double>(column) - column0) / radius,
                                 (static_cast<double>(row) - row0) / radius);
      const double value = (inside ? ink : 0) + 25 * random.uniform();
      pixels[static_cast<size_t>(row * side + column)] = static_cast<uint8_t>(value);
    }
  }
}

}  // namespace

ImageSet toy_shapes(Split split, int64_t count, uint64_t seed) {
  ImageSet set{{side, side, 1}, {}, {}, {}};
  set.pixels.resize(static_cast<size_t>(count * side * side));
  for (int64_t i = 0; i < count; ++i) {
    Random random({.seed = seed,
                   .step = static_cast<uint32_t>(i),
                   .part = static_cast<uint32_t>(split),
                   .use = static_cast<uint32_t>(hash_text("toy shapes"))});
    const auto shape = static_cast<int64_t>(random.below(std::size(shape_names)));
    set.labels.emplace_back(shape_names[shape]);
    draw(shape, random,
         std::span(set.pixels)
             .subspan(static_cast<size_t>(i * side * side), static_cast<size_t>(side * side)));
  }
  return set;
}

}  // namespace calque
