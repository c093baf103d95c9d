#pragma once
// The inner loops of int8_product(): sums of products of bytes. There is a kernel for each kind of
// instruction; all give the same integers.

#include <cstdint>

namespace calque::int8 {

// Rows of the left side, each number + 128 so that it is not negative, times adjacent panels of an
// Int8Matrix. Whole groups of 16 rows of `a` and of `sums` can be read and written.
struct Block {
  int64_t rows, lines;
  const uint8_t* a;
  int64_t a_stride;
  const int8_t* panels;
  int64_t panel_count;  // at most most_panels
  int32_t* sums;        // rows of sums_stride numbers
};

constexpr int64_t most_panels = 4, most_rows = 64;
constexpr int64_t sums_stride = most_panels * 16;

using Kernel = void (*)(const Block&);

// The kernels with these instructions; nullptr if the build or this processor lacks them.
Kernel amx();
Kernel avx512_vnni();
Kernel avx_vnni();
// The kernel without special instructions.
Kernel pairs();

}  // namespace calque::int8
