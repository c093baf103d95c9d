#include "core/products/block_product.h"

#include "core/products/bfloat16_products.h"
#include "core/products/block_loops.h"

namespace calque {

using product::block_product_of;
using product::BlockProduct;
using product::Numbers;

namespace {

const BlockProduct& product_in([[maybe_unused]] Precision precision) {
#ifndef CALQUE_DOUBLE
  if (precision == Precision::bfloat16) {
    const BlockProduct* const in_hardware = bfloat16_product(product::bfloat16_unit());
    return in_hardware ? *in_hardware : block_product_of<product::Bfloat16Pairs<Bfloat16Emulated>>;
  }
#endif
  return block_product_of<Numbers>;
}

}  // namespace

void tile_product(ProductSize size, Strided a, const real* b, int64_t b_row,
                  const Destination& to) {
  Prefetch nothing;
  product::multiply_block<Numbers>(size.m, size.n, size.k, a, {b, tile_cols, b_row}, to, nothing);
}

int64_t block_product_scratch(ProductSize size, Strided a, Precision precision) {
  return product_in(precision).scratch(size, a);
}

void block_product(ProductSize size, Strided a, const RightSide& b, const Destination& to,
                   real* scratch, Precision precision) {
  product_in(precision).multiply(size, a, b, to, scratch);
}

PackedMatrix::PackedMatrix(Strided b, int64_t k, int64_t n)
    : padded_cols_(round_up(n, tile_cols)), panels_(k * padded_cols_) {
  const product::Depths<Numbers> depths(k);
  for (int64_t block = 0; block < depths.count; ++block) {
    const int64_t from = depths.begin(block);
    product::copy<Numbers>(b.from(from, 0), depths.depth(block), n,
                           panels_.data() + from * padded_cols_);
  }
}

}  // namespace calque
