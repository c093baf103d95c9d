// int8_product(): rounds the left side, and divides the result into blocks for threads and kernels.

#include <algorithm>
#include <array>

#include "core/products/int8/kernel.h"
#include "core/products/int8/matrix.h"
#include "core/products/tile.h"
#include "core/threads/parallel.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

using int8::Block;
using int8::Kernel;

// A matrix unit computes 16 rows in the time of a few.
Kernel kernel_for(int64_t rows) {
  static const Kernel matrix_unit = int8::amx();
  static const Kernel best = [] {
    for (const Kernel kernel : {int8::avx512_vnni(), int8::avx_vnni()}) {
      if (kernel) return kernel;
    }
    return int8::pairs();
  }();
  constexpr int64_t worthwhile = 5;
  return matrix_unit && rows >= worthwhile ? matrix_unit : best;
}

// A row of the left side, rounded to multiples of its largest magnitude / 127, plus 128. Returns
// that scale. A row with a number that is not finite gets a scale that is not finite.
real round_row(const real* from, int64_t size, int64_t padded, uint8_t* to) {
  using Bytes [[gnu::vector_size(lanes)]] = uint8_t;
  Vec most{}, not_finite{};
  for (int64_t i = 0; i < size; i += lanes) {
    const Vec v = product::load_up_to(from + i, size - i);
    most = max(most, abs(v));
    not_finite += v * real(0);
  }
  const real largest = maximum(most);
  const real factor = largest > 0 ? 127 / largest : real(0);
  // Adding it leaves the nearest integer in the low bits.
  constexpr real to_integer = sizeof(real) == 4 ? real(0x1.8p23) : real(0x1.8p52);
  for (int64_t i = 0; i < padded; i += lanes) {
    const Vec v = i < size ? product::load_up_to(from + i, size - i) : Vec{};
    const auto integers = reinterpret_cast<Bits>(v * factor + to_integer);
    const Bytes bytes = __builtin_convertvector(integers + 128, Bytes);
    std::memcpy(to + i, &bytes, sizeof bytes);
  }
  return largest / 127 + sum(not_finite);
}

// The left side of a product, rounded.
struct RoundedRows {
  RoundedRows(const Matrix& a, int64_t bytes)
      : stride(bytes), numbers(round_up(a.rows, 16) * bytes), scales(a.rows) {
    for_each_row(a.rows, a.cols, [&](int64_t r) {
      scales[r] = round_row(a.data + r * a.stride, a.cols, stride, numbers.data() + r * stride);
    });
  }
  int64_t stride;
  Buffer<uint8_t> numbers;
  Buffer<real> scales;
};

// Writes the sums of a block, times the scales of rows and columns.
void put_sums(const Block& block, const real* row_scales, const Int8Matrix& b, int64_t first_col,
              const Destination& to) {
  using Integers [[gnu::vector_size(lanes * 4)]] = int32_t;
  const auto integers = [](const int32_t* from) {
    Integers some;
    std::memcpy(&some, from, sizeof some);
    return some;
  };
  const int64_t cols = std::min(block.panel_count * Int8Matrix::panel_cols, b.cols() - first_col);
  for (int64_t r = 0; r < block.rows; ++r) {
    for (int64_t col = 0; col < cols; col += lanes) {
      const Integers exact = integers(block.sums + r * int8::sums_stride + col) -
                             integers(b.offsets() + first_col + col);
      const Vec sum = __builtin_convertvector(exact, Vec) * row_scales[r];
      product::put(to, r, col, cols - col, sum * load(b.scales() + first_col + col));
    }
  }
}

}  // namespace

void int8_product(const Matrix& a, const Int8Matrix& b, Sink c, real scale, int64_t stride,
                  Finish finish) {
  const RoundedRows left(a, b.lines() * Int8Matrix::line_rows);
  const Destination to{c, stride, scale, finish};
  const Kernel kernel = kernel_for(a.rows);
  const int64_t columns = (b.panels() + int8::most_panels - 1) / int8::most_panels;
  const int64_t blocks = (a.rows + int8::most_rows - 1) / int8::most_rows * columns;
  constexpr int64_t worthwhile = 1 << 18;  // multiplications that justify waking a thread
  const int64_t work = std::min(a.rows, int8::most_rows) * b.inner() * int8::sums_stride;
  parallel_for(blocks, std::max<int64_t>(1, worthwhile / work), [&](int64_t begin, int64_t end) {
    alignas(64) std::array<int32_t, int8::most_rows * int8::sums_stride> sums;
    for (int64_t number = begin; number < end; ++number) {
      const int64_t row = number / columns * int8::most_rows,
                    panel = number % columns * int8::most_panels;
      const int64_t col = panel * Int8Matrix::panel_cols;
      const Block block{.rows = std::min(int8::most_rows, a.rows - row),
                        .lines = b.lines(),
                        .a = left.numbers.data() + row * left.stride,
                        .a_stride = left.stride,
                        .panels = b.panel(panel),
                        .panel_count = std::min(int8::most_panels, b.panels() - panel),
                        .sums = sums.data()};
      kernel(block);
      put_sums(block, left.scales.data() + row, b, col, to.at(row, col));
    }
  });
}

const char* int8_instructions() {
  if (int8::amx()) return "AMX";
  if (int8::avx512_vnni()) return "AVX512-VNNI";
  return int8::avx_vnni() ? "AVX-VNNI" : "16-bit integers";
}

}  // namespace calque
