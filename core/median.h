#pragma once
// The median of numbers: the upper one of the two in the middle of an even number of them.

#include <algorithm>
#include <vector>

namespace calque {

// 0 without numbers.
template <class Number>
Number median(std::vector<Number> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace calque
