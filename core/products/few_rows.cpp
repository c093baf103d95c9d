#include "core/products/few_rows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/simd/folds.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

// For each number of rows of a, the number of vectors of a row of c that are summed in registers:
// as many as fit, so that long parts of the rows of b are read.
#ifdef __AVX512F__
constexpr int most_vectors[] = {16, 12, 8, 6, 5, 4, 3, 3};
#else
constexpr int most_vectors[] = {12, 6, 4, 3, 2, 2};
#endif

// The distance, in numbers, of what is prefetched in each row of b.
constexpr int64_t ahead = 128;

// Blocks of rows of a large b are read from the first column to the last, so that each row is a
// stream. If the weights are not in the cache, eight rows of a take 0.6 of the time. A small b is
// read column by column.
constexpr int64_t block_rows = 32, large = 1 << 18;
constexpr int64_t rows_ahead = 8;  // of what is prefetched then

constexpr int64_t most_rows = std::ssize(most_vectors);

struct Operands {
  int64_t k;
  const real* a;
  int64_t a_stride;
  const real* b;
  int64_t b_stride;
  Sink c;
  real scale;
  int64_t c_stride;
  int64_t block;  // rows of b
  int64_t ahead;  // where the numbers are that are prefetched with one of b
};

// Columns [col, col + vectors * lanes): adds the products of rows [from, to) of b to the sums of
// the rows before, which are in c.
template <int rows, int vectors>
void strip(const Operands& o, int64_t col, int64_t from, int64_t to) {
  const int64_t a_stride = o.a_stride, b_stride = o.b_stride;
  const real* a = o.a + from;
  const real* b = o.b + from * b_stride + col;
  real* const c = o.c.data + col;
  Vec total[rows][vectors] = {};
  for (int r = 0; r < rows && from > 0; ++r) {
    for (int v = 0; v < vectors; ++v) total[r][v] = load(c + r * o.c_stride + v * lanes);
  }
  for (int64_t j = from; j < to; ++j, ++a, b += b_stride) {
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(b + o.ahead + v * lanes);
    Vec right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = load(b + v * lanes);
    for (int r = 0; r < rows; ++r) {
      const Vec left = broadcast(a[r * a_stride]);
      for (int v = 0; v < vectors; ++v) {
        total[r][v] = multiply_add(left, right[v], total[r][v]);
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      real* at = c + r * o.c_stride + v * lanes;
      const Vec scale = broadcast(o.scale), sum = total[r][v];
      store(at, o.c.add ? multiply_add(sum, scale, load(at)) : sum * scale);
    }
  }
}

// The last columns, fewer than a vector.
void last_columns(const Operands& o, int64_t rows, int64_t col, int64_t count) {
  for (int64_t r = 0; r < rows; ++r) {
    Vec total{};
    for (int64_t j = 0; j < o.k; ++j) {
      total += o.a[r * o.a_stride + j] * load_first(o.b + j * o.b_stride + col, count);
    }
    real* to = o.c.data + r * o.c_stride + col;
    total = total * o.scale;
    store_first(to, o.c.add ? load_first(to, count) + total : total, count);
  }
}

using Strip = void (*)(const Operands&, int64_t, int64_t, int64_t);

// The strips with this number of rows; element v has v + 1 vectors.
template <int rows>
constexpr auto strips = []<int... v>(std::integer_sequence<int, v...>) {
  return std::array<Strip, sizeof...(v)>{&strip<rows, v + 1>...};
}
(std::make_integer_sequence<int, most_vectors[rows - 1]>());

template <int rows>
void all_strips(const Operands& o, int64_t n) {
  for (int64_t from = 0; from < o.k; from += o.block) {
    for (int64_t col = 0; n - col >= lanes;) {
      const int64_t vectors = std::min<int64_t>(most_vectors[rows - 1], (n - col) / lanes);
      strips<rows>[static_cast<size_t>(vectors - 1)](o, col, from, std::min(o.k, from + o.block));
      col += vectors * lanes;
    }
  }
  const int64_t col = n / lanes * lanes;
  if (col < n) last_columns(o, rows, col, n - col);
}

// One row of a times `lanes` rows of b, which are read in parallel. The first row of a prefetches.
template <bool first>
Vec dot_products(const real* a, const real* b, int64_t b_stride, int64_t k) {
  const int64_t whole = k / lanes * lanes;
  Vec total[lanes] = {};
  for (int64_t j = 0; j < whole; j += lanes) {
    const Vec x = load(a + j);
    for (int64_t i = 0; i < lanes; ++i) {
      const real* at = b + i * b_stride + j;
      if constexpr (first) __builtin_prefetch(at + lanes * b_stride);
      total[i] += x * load(at);
    }
  }
  Vec sums = sums_of_lanes([&](int64_t i) { return total[i]; });
  for (int64_t j = whole; j < k; ++j) {
    for (int64_t i = 0; i < lanes; ++i) sums[i] += a[j] * b[i * b_stride + j];
  }
  return sums;
}

// The same with `count` rows of b, fewer than lanes.
Vec some_dot_products(const real* a, const real* b, int64_t b_stride, int64_t k, int64_t count) {
  Vec sums{};
  for (int64_t i = 0; i < count; ++i) {
    sums[i] = dot(k, a, b + i * b_stride);
  }
  return sums;
}

// For a transposed b: each column of c consists of dot products with a row of b.
void all_dot_products(const Operands& o, int64_t rows, int64_t n) {
  for (int64_t col = 0; col < n; col += lanes) {
    const int64_t count = std::min(lanes, n - col);
    const real* b = o.b + col * o.b_stride;
    for (int64_t r = 0; r < rows; ++r) {
      const real* a = o.a + r * o.a_stride;
      const auto all = r == 0 ? dot_products<true> : dot_products<false>;
      const Vec sum = o.scale * (count == lanes ? all(a, b, o.b_stride, o.k)
                                                : some_dot_products(a, b, o.b_stride, o.k, count));
      real* to = o.c.data + r * o.c_stride + col;
      store_first(to, o.c.add ? load_first(to, count) + sum : sum, count);
    }
  }
}

void multiply(const Operands& o, int64_t rows, int64_t n, bool b_is_transposed) {
  static constexpr auto by_rows = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<void (*)(const Operands&, int64_t), sizeof...(r)>{&all_strips<r + 1>...};
  }
  (std::make_integer_sequence<int, most_rows>());
  if (b_is_transposed) return all_dot_products(o, rows, n);
  by_rows[static_cast<size_t>(rows - 1)](o, n);
}

}  // namespace

int64_t most_few_rows() { return most_rows; }

bool has_few_rows(const Matrix& a) { return !a.flipped && a.rows <= most_rows; }

void few_rows_product(const Matrix& a, const Matrix& b, Sink c, real scale, int64_t stride) {
  const int64_t n = b.flipped ? b.rows : b.cols, k = a.cols;
  constexpr int64_t worthwhile = 1 << 16;  // multiplications that justify waking a thread
  const int64_t vectors = (n + lanes - 1) / lanes;
  const bool blocks = n * k >= large && !c.add && scale == 1;  // the sums of a block stay in c
  const int64_t chunks =
      std::clamp<int64_t>(n * k / worthwhile, 1, std::min<int64_t>(threads(), vectors));
  parallel_for(chunks, 1, [&](int64_t chunk, int64_t) {
    const int64_t begin = vectors * chunk / chunks * lanes;
    const int64_t end = std::min(n, vectors * (chunk + 1) / chunks * lanes);
    multiply({k,
              a.data,
              a.stride,
              b.data + begin * (b.flipped ? b.stride : 1),
              b.stride,
              {c.data + begin, c.add},
              scale,
              stride,
              blocks ? block_rows : std::max<int64_t>(1, k),
              blocks ? ahead : rows_ahead * b.stride},
             a.rows, end - begin, b.flipped);
  });
}

}  // namespace calque
