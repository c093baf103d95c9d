#pragma once
// How the numbers of a CompactMatrix become vectors: a struct for each form.
//
//   Number            a number, or two of adjacent lines, as they are stored
//   at(column, line)  where a line is, from the first
//   load(at, odd)     the numbers there, before scaling; of which of two lines
//   scaled            whether each block has a scale

#include <cstdint>
#include <cstring>

#include "core/products/compact/matrix.h"
#include "core/simd/vector.h"

namespace calque::compact {

constexpr int64_t panel_cols = CompactMatrix::panel_cols;

// The numbers at `from`, each in 32 bits. GCC converts vectors in halves, or number by number,
// where it does not know the instruction.
template <class Number>
auto widened(const Number* from) {
  using Few [[gnu::vector_size(lanes * sizeof(Number))]] = Number;
  using Wide [[gnu::vector_size(lanes * 4)]] = int32_t;
  Few few;
  std::memcpy(&few, from, sizeof few);
#ifndef CALQUE_DOUBLE
  [[maybe_unused]] constexpr bool bytes = sizeof(Number) == 1;
#if defined(__AVX512F__)
  if constexpr (bytes)
    return reinterpret_cast<Wide>(_mm512_maskz_cvtepi8_epi32(0xFFFF, (__m128i)few));
  if constexpr (!bytes)
    return reinterpret_cast<Wide>(_mm512_maskz_cvtepu16_epi32(0xFFFF, (__m256i)few));
#elif defined(__AVX2__)
  __m128i lower{};
  std::memcpy(&lower, &few, sizeof few);
  return reinterpret_cast<Wide>(bytes ? _mm256_cvtepi8_epi32(lower) : _mm256_cvtepu16_epi32(lower));
#elif defined(__SSE4_1__)
  __m128i lower{};
  std::memcpy(&lower, &few, sizeof few);
  return reinterpret_cast<Wide>(bytes ? _mm_cvtepi8_epi32(lower) : _mm_cvtepu16_epi32(lower));
#else
  return __builtin_convertvector(few, Wide);
#endif
#else
  return __builtin_convertvector(few, Wide);
#endif
}

struct Bfloat16 {
  using Number = uint16_t;
  static constexpr bool scaled = false;
  static const Number* at(const Number* column, int64_t line) { return column + line * panel_cols; }
  static Vec load(const Number* at, bool) {
    using Floats [[gnu::vector_size(lanes * 4)]] = float;
    return __builtin_convertvector(reinterpret_cast<Floats>(widened(at) << 16), Vec);
  }
};

struct Q8 {
  using Number = int8_t;
  static constexpr bool scaled = true;
  static const Number* at(const Number* column, int64_t line) { return column + line * panel_cols; }
  static Vec load(const Number* at, bool) { return __builtin_convertvector(widened(at), Vec); }
};

// A byte has an even line's integer in its lower half and the next line's in its upper half.
struct Q4 {
  using Number = int8_t;
  static constexpr bool scaled = true;
  static const Number* at(const Number* column, int64_t line) {
    return column + line / 2 * panel_cols;
  }
  static Vec load(const Number* at, bool odd) {
    const auto both = widened(at);
    return __builtin_convertvector(odd ? both >> 4 : both << 28 >> 28, Vec);
  }
};

// Calls body with the struct of the form.
template <class Body>
void with_form(Precision form, Body&& body) {
  switch (form) {
    case Precision::bfloat16:
      return body(Bfloat16{});
    case Precision::q4_0:
      return body(Q4{});
    default:
      return body(Q8{});
  }
}

}  // namespace calque::compact
