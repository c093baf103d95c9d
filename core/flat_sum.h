#pragma once
// Sums of two buffers of gradients. In bfloat16 both buffers are rounded before they are added in
// float, so the sum does not depend on which of them was sent over a network in half the bytes.

#include <cstdint>
#include <cstring>
#include <span>

#include "core/error.h"
#include "core/products/bfloat16.h"
#include "core/products/blas.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {
namespace flat_sum {

constexpr int64_t chunk = 1 << 15;

inline Vec plain(Vec v) { return v; }

#ifndef CALQUE_DOUBLE
inline Vec rounded(Vec v) { return reinterpret_cast<Vec>(rounded_to_bfloat16(v)); }

inline uint16_t upper_half(real number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

inline real from_upper_half(uint16_t half) {
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  real number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
#else
inline Vec rounded(Vec v) { return v; }
#endif

template <class Rounding>
void add(std::span<real> a, std::span<const real> b, Rounding rounding) {
  parallel_for(std::ssize(a), chunk, [&](int64_t begin, int64_t end) {
    const auto sum = [rounding](Vec x, Vec y) { return rounding(x) + rounding(y); };
    map(end - begin, a.data() + begin, sum, a.data() + begin, b.data() + begin);
  });
}

}  // namespace flat_sum

// a = a + b, on all threads.
inline void add_flat(std::span<real> a, std::span<const real> b, Precision precision) {
  if (precision == Precision::full) return flat_sum::add(a, b, flat_sum::plain);
  flat_sum::add(a, b, flat_sum::rounded);
}

#ifndef CALQUE_DOUBLE
// round_flat() rounds numbers to bfloat16, and add_rounded() adds such a buffer to one that is not
// yet rounded. Together they compute what add_flat() computes in bfloat16.
inline void round_flat(std::span<const real> from, std::span<uint16_t> to) {
  parallel_for(std::ssize(from), flat_sum::chunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
      const int64_t count = std::min(lanes, end - i);
      alignas(64) real some[lanes];
      store(some, flat_sum::rounded(load_first(from.data() + i, count)));
      for (int64_t k = 0; k < count; ++k) to[i + k] = flat_sum::upper_half(some[k]);
    }
  });
}

inline void add_rounded(std::span<real> a, std::span<const uint16_t> b) {
  parallel_for(std::ssize(a), flat_sum::chunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
      const int64_t count = std::min(lanes, end - i);
      alignas(64) real some[lanes] = {};
      for (int64_t k = 0; k < count; ++k) some[k] = flat_sum::from_upper_half(b[i + k]);
      const Vec sum = flat_sum::rounded(load_first(a.data() + i, count)) + load(some);
      store_first(a.data() + i, sum, count);
    }
  });
}
#endif

}  // namespace calque
