// compact_product(): a kernel for few rows on the left side, which converts numbers in registers.

#include <algorithm>
#include <array>
#include <utility>

#include "core/products/compact/forms.h"
#include "core/products/compact/matrix.h"
#include "core/products/tile.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

using compact::with_form;

// The vectors of a strip of a panel, and the rows whose sums then fit in the registers.
constexpr int strip_vectors = 4;
constexpr int64_t strip_cols = strip_vectors * lanes;
#ifdef __AVX512F__
constexpr int strip_rows = 6;
#else
constexpr int strip_rows = 3;
#endif
// Up to this number of rows, converting numbers again for each few rows takes less time than
// copying them to panels.
constexpr int64_t most_converted_rows = 32;

struct CompactOperands {
  const real* a;
  int64_t a_stride;
  const CompactMatrix& b;
};

// Columns of a strip. Each number of b is exact as a float, so the sums have the bits of a product
// with these floats in the order of the inner dimension.
template <class Form, int rows>
void compact_strip(const CompactOperands& o, int64_t panel, int64_t first, int64_t col,
                   const Destination& to) {
  constexpr int64_t cols = CompactMatrix::panel_cols, block = CompactMatrix::block;
  constexpr int64_t ahead = 24;  // lines
  const auto* const column = o.b.panel<typename Form::Number>(panel) + first;
  Vec total[rows][strip_vectors] = {};
  for (int64_t from = 0; from < o.b.inner(); from += block) {
    Vec scale[strip_vectors];
    for (int v = 0; v < strip_vectors && Form::scaled; ++v) {
      scale[v] = load(o.b.scales(panel) + from / block * cols + first + v * lanes);
    }
    const auto add_line = [&](int64_t k, bool odd) __attribute__((always_inline)) {
      const auto* const line = Form::at(column, k);
      __builtin_prefetch(Form::at(column, k + ahead));
      for (int v = 0; v < strip_vectors; ++v) {
        Vec right = Form::load(line + v * lanes, odd);
        if constexpr (Form::scaled) right *= scale[v];
        for (int r = 0; r < rows; ++r) {
          total[r][v] = multiply_add(broadcast(o.a[r * o.a_stride + k]), right, total[r][v]);
        }
      }
    };
    const int64_t end = std::min(o.b.inner(), from + block);
    int64_t k = from;
    for (; k + 1 < end; k += 2) add_line(k, false), add_line(k + 1, true);
    if (k < end) add_line(k, false);
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < strip_vectors; ++v) {
      const int64_t left = o.b.cols() - col - v * lanes;
      if (left > 0) product::put(to, r, col + v * lanes, left, total[r][v]);
    }
  }
}

template <class Form>
void compact_panel(const CompactOperands& o, int64_t rows, int64_t panel, const Destination& to) {
  static constexpr auto strips = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array{&compact_strip<Form, r + 1>...};
  }
  (std::make_integer_sequence<int, strip_rows>());
  const int64_t groups = (rows + strip_rows - 1) / strip_rows, tall = (rows + groups - 1) / groups;
  for (int64_t first = 0; first < CompactMatrix::panel_cols; first += strip_cols) {
    const int64_t col = panel * CompactMatrix::panel_cols + first;
    if (col >= o.b.cols()) return;
    for (int64_t row = 0; row < rows; row += tall) {
      const int64_t count = std::min(tall, rows - row);
      strips[static_cast<size_t>(count - 1)]({o.a + row * o.a_stride, o.a_stride, o.b}, panel,
                                             first, col, to.at(row, 0));
    }
  }
}

}  // namespace

bool converts_for(const Matrix& a) { return !a.flipped && a.rows <= most_converted_rows; }

void compact_product(const Matrix& a, const CompactMatrix& b, Sink c, real scale, int64_t stride,
                     Finish finish) {
  constexpr int64_t worthwhile = 1 << 16;  // multiplications that justify waking a thread
  const int64_t work = a.rows * b.inner() * CompactMatrix::panel_cols;
  const CompactOperands operands{a.data, a.stride, b};
  const Destination to{c, stride, scale, finish};
  with_form(b.form(), [&]<class Form>(Form) {
    parallel_for(b.panels(), std::max<int64_t>(1, worthwhile / work),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t panel = begin; panel < end; ++panel) {
                     compact_panel<Form>(operands, a.rows, panel, to);
                   }
                 });
  });
}

}  // namespace calque
