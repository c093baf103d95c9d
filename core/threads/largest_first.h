#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace calque {

// The indices of the values, that of the largest first; equal values keep their order.
template <class Number>
std::vector<size_t> largest_first(const std::vector<Number>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return values[i]; });
  return order;
}

}  // namespace calque
