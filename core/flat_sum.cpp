#include "core/flat_sum.h"

#include <algorithm>
#include <cstring>

#include "core/products/bfloat16.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

constexpr int64_t chunk = 1 << 15;

Vec plain(Vec v) { return v; }

#ifndef CALQUE_DOUBLE
Vec rounded(Vec v) { return reinterpret_cast<Vec>(rounded_to_bfloat16(v)); }

uint16_t upper_half(real number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

real from_upper_half(uint16_t half) {
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  real number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
#else
Vec rounded(Vec v) { return v; }
#endif

template <class Rounding>
void add_after(std::span<real> a, std::span<const real> b, Rounding rounding) {
  parallel_for(std::ssize(a), chunk, [&](int64_t begin, int64_t end) {
    const auto sum = [rounding](Vec x, Vec y) { return rounding(x) + rounding(y); };
    map(end - begin, a.data() + begin, sum, a.data() + begin, b.data() + begin);
  });
}

}  // namespace

void add_flat(std::span<real> a, std::span<const real> b, Precision precision) {
  if (precision == Precision::full) return add_after(a, b, plain);
  add_after(a, b, rounded);
}

#ifndef CALQUE_DOUBLE
void round_flat(std::span<const real> from, std::span<uint16_t> to) {
  parallel_for(std::ssize(from), chunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
      const int64_t count = std::min(lanes, end - i);
      alignas(64) real some[lanes];
      store(some, rounded(load_first(from.data() + i, count)));
      for (int64_t k = 0; k < count; ++k) to[i + k] = upper_half(some[k]);
    }
  });
}

void add_rounded(std::span<real> a, std::span<const uint16_t> b) {
  parallel_for(std::ssize(a), chunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
      const int64_t count = std::min(lanes, end - i);
      alignas(64) real some[lanes] = {};
      for (int64_t k = 0; k < count; ++k) some[k] = from_upper_half(b[i + k]);
      const Vec sum = rounded(load_first(a.data() + i, count)) + load(some);
      store_first(a.data() + i, sum, count);
    }
  });
}
#endif

}  // namespace calque
