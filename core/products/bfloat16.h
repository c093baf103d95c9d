#pragma once
// Floats rounded to bfloat16, the first 16 bits of a float: its whole range with 8 bits of
// precision. Processors with AVX512-BF16 multiply pairs of them, and add both products, in the time
// of one multiplication of floats. The emulation for other processors may differ in the last bit of
// a sum.

#include <cstdint>

#include "core/simd/vector.h"

namespace calque {

#ifndef CALQUE_DOUBLE

// The nearest bfloat16s, ties to even, in the upper halves of the words. NaN stays NaN.
inline Words rounded_to_bfloat16(Vec v) {
  const Words bits = reinterpret_cast<Words>(v);
  const Words nearest = bits + 0x7fffU + ((bits >> 16) & 1U);
  const Words quiet_nan = bits | 0x400000U;
  return (v == v ? nearest : quiet_nan) & 0xffff0000U;
}

// Every second number of `low` and `high`, beginning with number `first`.
template <int first, size_t... i>
Vec every_other(Vec low, Vec high, std::index_sequence<i...>) {
  return __builtin_shufflevector(low, high, static_cast<int>(first + 2 * i)...);
}

// Arithmetic with pairs of numbers, for any processor.
struct Bfloat16Emulated {
  // Pairs with first[i] in the lower half of word i, and second[i] in the upper one.
  static Vec pairs(Vec first, Vec second) {
    return reinterpret_cast<Vec>((rounded_to_bfloat16(first) >> 16) | rounded_to_bfloat16(second));
  }

  // Pairs of adjacent numbers of `low`, then of `high`.
  static Vec neighbours(Vec low, Vec high) {
    constexpr auto lane = std::make_index_sequence<lanes>();
    return pairs(every_other<0>(low, high, lane), every_other<1>(low, high, lane));
  }

  // total + the products of both numbers of each pair.
  static Vec add_products(Vec total, Vec left, Vec right) {
    const auto lower = [](Vec v) {
      return reinterpret_cast<Vec>(reinterpret_cast<Words>(v) << 16);
    };
    const auto upper = [](Vec v) {
      return reinterpret_cast<Vec>(reinterpret_cast<Words>(v) & 0xffff0000U);
    };
    return multiply_add(upper(left), upper(right), multiply_add(lower(left), lower(right), total));
  }
};

#ifdef __AVX512BF16__
// The same with AVX512-BF16, only for files that are compiled for it.
struct Bfloat16InHardware {
  static Vec pairs(Vec first, Vec second) {
    using Halves [[gnu::vector_size(64)]] = int16_t;
    const auto both = reinterpret_cast<Halves>(
        _mm512_cvtne2ps_pbh(reinterpret_cast<__m512>(second), reinterpret_cast<__m512>(first)));
    return reinterpret_cast<Vec>(
        __builtin_shufflevector(both, both, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
  }

  static Vec neighbours(Vec low, Vec high) {
    return reinterpret_cast<Vec>(
        _mm512_cvtne2ps_pbh(reinterpret_cast<__m512>(high), reinterpret_cast<__m512>(low)));
  }

  static Vec add_products(Vec total, Vec left, Vec right) {
    return reinterpret_cast<Vec>(_mm512_dpbf16_ps(reinterpret_cast<__m512>(total),
                                                  reinterpret_cast<__m512bh>(left),
                                                  reinterpret_cast<__m512bh>(right)));
  }
};
#endif

// The word at `from` in all lanes.
inline Vec broadcast_bits(const real* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return reinterpret_cast<Vec>(word - Words{});
}

#endif

}  // namespace calque
