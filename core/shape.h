#pragma once
// The sizes of a tensor's axes: row-major, contiguous. Most ops see a tensor as a matrix: `cols` is
// the last axis, `rows` all the others together.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/error.h"

namespace calque {

class Shape {
 public:
  static constexpr int most_axes = 6;

  Shape() = default;  // a scalar: no axes, one element
  Shape(std::initializer_list<int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const int64_t> sizes) : axes_(static_cast<int>(sizes.size())) {
    require(axes_ <= most_axes, "Shape: {} axes, at most {} are possible", axes_, most_axes);
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
    for (const int64_t size : sizes) require(size >= 0, "Shape: an axis of size {}", size);
    check_elements();
  }

  int axes() const { return axes_; }
  int64_t operator[](int axis) const { return sizes_[axis]; }
  std::span<const int64_t> sizes() const { return {sizes_.data(), static_cast<size_t>(axes_)}; }

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t size : sizes()) product *= size;
    return product;
  }
  int64_t cols() const { return axes_ == 0 ? 1 : sizes_[axes_ - 1]; }
  int64_t rows() const {
    int64_t product = 1;
    for (int i = 0; i + 1 < axes_; ++i) product *= sizes_[i];
    return product;
  }

  // The same with another last axis: [2, 3, 5] with_cols(7) is [2, 3, 7].
  Shape with_cols(int64_t cols) const {
    Shape shape = *this;
    if (shape.axes_ == 0) shape.axes_ = 1;
    shape.sizes_[shape.axes_ - 1] = cols;
    shape.check_elements();
    return shape;
  }
  std::string text() const;  // [4096, 512]

  bool operator==(const Shape& other) const {
    return std::equal(sizes().begin(), sizes().end(), other.sizes().begin(), other.sizes().end());
  }

 private:
  // Axes of size 0 count as 1, so that no product of some axes overflows.
  void check_elements() const {
    int64_t product = 1;
    for (const int64_t size : sizes()) {
      require(!__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product),
              "Shape: {} has more elements than can be counted", text());
    }
  }

  std::array<int64_t, most_axes> sizes_{};
  int axes_ = 0;
};

}  // namespace calque

template <>
struct fmt::formatter<calque::Shape> : fmt::formatter<std::string_view> {
  auto format(const calque::Shape& shape, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(shape.text(), context);
  }
};
