#pragma once
// How the numbers of a CompactMatrix become vectors: a struct for each form.
//
//   Number            as it is stored
//   load(from)        the numbers at `from`, before scaling
//   scaled            whether each block has a scale

#include <cstdint>
#include <cstring>

#include "core/simd/vector.h"

namespace calque::compact {

template <class Number>
auto some(const Number* from) {
  using Numbers [[gnu::vector_size(lanes * sizeof(Number))]] = Number;
  Numbers numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  return numbers;
}

struct Bfloat16 {
  using Number = uint16_t;
  static constexpr bool scaled = false;
  static Vec load(const uint16_t* from) {
    using Floats [[gnu::vector_size(lanes * 4)]] = float;
    using Bits32 [[gnu::vector_size(lanes * 4)]] = uint32_t;
    const auto bits = __builtin_convertvector(some(from), Bits32) << 16;
    return __builtin_convertvector(reinterpret_cast<Floats>(bits), Vec);
  }
};

struct Q8 {
  using Number = int8_t;
  static constexpr bool scaled = true;
  static Vec load(const int8_t* from) {
    using Integers [[gnu::vector_size(lanes * 4)]] = int32_t;
    return __builtin_convertvector(__builtin_convertvector(some(from), Integers), Vec);
  }
};

// Calls body with the struct of the form.
template <class Body>
void with_form(Precision form, Body&& body) {
  form == Precision::bfloat16 ? body(Bfloat16{}) : body(Q8{});
}

}  // namespace calque::compact
