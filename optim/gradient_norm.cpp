#include "optim/gradient_norm.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

using Doubles [[gnu::vector_size(64)]] = double;
using Eight [[gnu::vector_size(8 * sizeof(real))]] = real;
constexpr int64_t eight = 8;
constexpr size_t norm_chunk = 1 << 15;

Doubles squares(const real* from) {
  Eight some;
  std::memcpy(&some, from, sizeof some);
  const Doubles wide = __builtin_convertvector(some, Doubles);
  return wide * wide;
}

double squares_of_chunk(const real* from, int64_t count) {
  // Four independent sums hide the latency of the additions.
  Doubles a{}, b{}, c{}, d{};
  int64_t i = 0;
  for (; i + 4 * eight <= count; i += 4 * eight) {
    a += squares(from + i);
    b += squares(from + i + eight);
    c += squares(from + i + 2 * eight);
    d += squares(from + i + 3 * eight);
  }
  const Doubles lane_sums = (a + b) + (c + d);
  double total = 0;
  for (int64_t lane = 0; lane < eight; ++lane) total += lane_sums[lane];
  for (; i < count; ++i) total += double(from[i]) * double(from[i]);
  return total;
}

}  // namespace

double gradient_norm(const Parameters& parameters) {
  std::vector<std::span<const real>> chunks;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.frozen()) continue;
    const std::span<const real> gradient = entry.tensor.gradient().span();
    for (size_t at = 0; at < gradient.size(); at += norm_chunk) {
      chunks.push_back(gradient.subspan(at, std::min(norm_chunk, gradient.size() - at)));
    }
  }
  return std::sqrt(parallel_reduce(
      static_cast<int64_t>(chunks.size()), 1, 0.0,
      [&](int64_t begin, int64_t) {
        const std::span<const real> some = chunks[static_cast<size_t>(begin)];
        return squares_of_chunk(some.data(), static_cast<int64_t>(some.size()));
      },
      [](double sum, double part) { return sum + part; }));
}

double sum_of_squares(std::span<const real> numbers) {
  return parallel_reduce(
      std::ssize(numbers), norm_chunk, 0.0,
      [&](int64_t begin, int64_t end) {
        return squares_of_chunk(numbers.data() + begin, end - begin);
      },
      [](double sum, double part) { return sum + part; });
}

double clip_factor(double norm, double limit) {
  return limit > 0 && norm > limit ? limit / norm : 1;
}

const Parameters::Entry* first_not_finite(const Parameters& parameters) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.frozen()) continue;
    const std::span<const real> gradient = entry.tensor.gradient().span();
    if (first_not_finite(gradient) < std::ssize(gradient)) return &entry;
  }
  return nullptr;
}

int64_t first_not_finite(std::span<const real> gradient) {
  const auto finite = [](real g) { return std::isfinite(g); };
  return std::ranges::find_if_not(gradient, finite) - gradient.begin();
}

const Parameters::Entry* parameter_at(const Parameters& parameters, int64_t index) {
  if (index >= parameters.flat_size()) return nullptr;
  const auto& entries = parameters.entries();
  return &*std::prev(std::ranges::upper_bound(entries, index, {}, &Parameters::Entry::offset));
}

}  // namespace calque
