#pragma once
// How the numbers of a CompactMatrix become vectors: a struct for each form.
//
//   Number            as it is stored
//   load(from)        the numbers at `from`, before scaling
//   scaled            whether each block has a scale

#include <cstdint>
#include <cstring>

#include "core/precision.h"
#include "core/simd/vector.h"

namespace calque::compact {

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
  static Vec load(const uint16_t* from) {
    using Floats [[gnu::vector_size(lanes * 4)]] = float;
    return __builtin_convertvector(reinterpret_cast<Floats>(widened(from) << 16), Vec);
  }
};

struct Q8 {
  using Number = int8_t;
  static constexpr bool scaled = true;
  static Vec load(const int8_t* from) { return __builtin_convertvector(widened(from), Vec); }
};

// Calls body with the struct of the form.
template <class Body>
void with_form(Precision form, Body&& body) {
  form == Precision::bfloat16 ? body(Bfloat16{}) : body(Q8{});
}

}  // namespace calque::compact
