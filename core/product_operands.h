#pragma once
// How a product (core/block_product.h) reads its operands: as they are, or rounded to bfloat16.
//
// It walks down the inner dimension in steps. A step is one number of each operand, or two of them
// that share a word. Operands are copied so that steps lie beside each other, in memory that counts
// as numbers either way. Each of the structs here says
//
//   per_step          how many numbers a step has
//   across(at, inner, rest, count)
//                     one step of `count` columns of B, or rows of A, which lie beside each other;
//                     the next number of each is `inner` further on, and `rest` of them remain
//   along(at, rest)   many steps, one a lane, of a single column whose numbers lie together
//   spread(at)        one step in all lanes
//   add(total, a, b)  total + a step's products

#include "core/bfloat16.h"
#include "core/simd.h"

namespace calque {

// `count` numbers and zeros, or as many as there are lanes.
inline Vec load_up_to(const real* from, int64_t count) {
  return count >= lanes ? load(from) : count > 0 ? load_first(from, count) : Vec{};
}

struct Numbers {
  static constexpr int64_t per_step = 1;
  static Vec across(const real* at, int64_t /*inner*/, int64_t /*rest*/, int64_t count) {
    return load_up_to(at, count);
  }
  static Vec along(const real* at, int64_t rest) { return load_up_to(at, rest); }
  static Vec spread(const real* at) { return broadcast(*at); }
  static Vec add(Vec total, Vec a, Vec b) { return multiply_add(a, b, total); }
};

#ifndef CALQUE_DOUBLE
struct Bfloat16Pairs {
  static constexpr int64_t per_step = 2;
  static Vec across(const real* at, int64_t inner, int64_t rest, int64_t count) {
    return bfloat16_pairs(load_up_to(at, count), rest > 1 ? load_up_to(at + inner, count) : Vec{});
  }
  static Vec along(const real* at, int64_t rest) {
    return bfloat16_neighbours(load_up_to(at, rest), load_up_to(at + lanes, rest - lanes));
  }
  static Vec spread(const real* at) { return broadcast_bits(at); }
  static Vec add(Vec total, Vec a, Vec b) { return add_products_of_pairs(total, a, b); }
};
#endif

}  // namespace calque
