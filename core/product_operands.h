#pragma once
// How a product (core/block_product.h) reads its operands: as they are, or rounded to bfloat16.
//
// It walks down the inner dimension in steps. A step is one number of each operand, or two of them
// that share a word. Operands are copied so that steps lie beside each other, in memory that counts
// as numbers either way. Each of the structs here says
//
//   per_step               how many numbers a step has
//   across(at, inner, left, count)   one step of `count` neighbouring columns of the right side (or
//                          rows of the left): numbers `inner` apart, of which `left` are left
//   along(at, left)        as many steps as a vector has lanes of a single column, whose numbers
//   lie
//                          together; again `left` are left
//   spread(at)             one step of a row in all lanes
//   add(total, a, b)       total + a step's products

#include "core/bfloat16.h"
#include "core/simd.h"

namespace calque {

// `count` numbers and zeros, or as many as there are lanes.
inline Vec load_up_to(const real* from, int64_t count) {
  return count >= lanes ? load(from) : count > 0 ? load_first(from, count) : Vec{};
}

struct Numbers {
  static constexpr int64_t per_step = 1;
  static Vec across(const real* at, int64_t, int64_t, int64_t count) {
    return load_up_to(at, count);
  }
  static Vec along(const real* at, int64_t left) { return load_up_to(at, left); }
  static Vec spread(const real* at) { return broadcast(*at); }
  static Vec add(Vec total, Vec a, Vec b) { return total + a * b; }
};

#ifndef CALQUE_DOUBLE
struct Bfloat16Pairs {
  static constexpr int64_t per_step = 2;
  static Vec across(const real* at, int64_t inner, int64_t left, int64_t count) {
    return bfloat16_pairs(load_up_to(at, count), left > 1 ? load_up_to(at + inner, count) : Vec{});
  }
  static Vec along(const real* at, int64_t left) {
    return bfloat16_neighbours(load_up_to(at, left), load_up_to(at + lanes, left - lanes));
  }
  static Vec spread(const real* at) { return broadcast_bits(at); }
  static Vec add(Vec total, Vec a, Vec b) { return add_products_of_pairs(total, a, b); }
};
#endif

}  // namespace calque
