#include "core/products/blas.h"

#include <cblas.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/products/bfloat16_products.h"
#include "core/products/block_product.h"
#include "core/products/compact/matrix.h"
#include "core/products/few_rows.h"
#include "core/products/int8/matrix.h"
#include "core/products/packed_weights.h"
#include "core/products/tile_size.h"
#include "core/profile.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

#ifdef CALQUE_DOUBLE
constexpr auto* cblas_gemm = &cblas_dgemm;
#else
constexpr auto* cblas_gemm = &cblas_sgemm;
#endif

CBLAS_TRANSPOSE flag(const Matrix& m) { return m.flipped ? CblasTrans : CblasNoTrans; }
int64_t height(const Matrix& m) { return m.flipped ? m.cols : m.rows; }
int64_t width(const Matrix& m) { return m.flipped ? m.rows : m.cols; }

// A separate pass, for products that do not support a finish.
void finish_rows(real* c, int64_t rows, int64_t cols, int64_t stride, Finish finish) {
  const auto add = [](Vec x, Vec y) { return x + y; };
  const auto relu = [](Vec x) { return max(Vec{}, x); };
  for (int64_t r = 0; r < rows; ++r, c += stride) {
    if (finish.bias) map(cols, c, add, c, finish.bias);
    if (finish.relu) map(cols, c, relu, c);
  }
}

// Like block_product(), on the calling thread.
void openblas_product(const Matrix& a, const Matrix& b, const Destination& to) {
  [[maybe_unused]] static const bool own_threads_are_off = [] {
    // OneThread does not limit an OpenBLAS that was built with its own threads.
    if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
    return true;
  }();
  const OneThread alone;
  const auto size = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_gemm(CblasRowMajor, flag(a), flag(b), size(height(a)), size(width(b)), size(width(a)),
             to.scale, a.data, size(a.stride), b.data, size(b.stride), to.c.beta(), to.c.data,
             size(to.stride));
  finish_rows(to.c.data, height(a), width(b), to.stride, to.finish);
}

enum class Backend { openblas, own };

Backend backend_of(Precision precision) {
  return own_product_is_faster() || precision != Precision::full ? Backend::own : Backend::openblas;
}

const BlasKernels& kernels() {
  static const BlasKernels known = blas_kernels(openblas_get_corename());
  return known;
}

bool cuts_are_exact(Backend backend) { return backend == Backend::own || kernels().cuts_are_exact; }

// A result is split into blocks of rows or of columns. A block consists of whole kernel tiles and
// is computed by one thread. OpenBLAS's own threads split the inner dimension of some shapes, which
// changes the last bits. Where cuts are exact there is at most one block per thread; elsewhere the
// blocks depend only on the shape.
struct Split {
  int64_t blocks = 1;
  int64_t size = 0;  // the number of rows or columns
  bool by_rows = true;
  int64_t tile = 32;
  int64_t begin(int64_t block) const {
    const int64_t tiles = (size + tile - 1) / tile;
    return std::min(size, tiles * block / blocks * tile);
  }
};

// The minimum number of multiplications of a block. OpenBLAS has other kernels for products of
// fewer than 1,000,000 multiplications; a block must not use them unless the whole product does.
int64_t smallest_block(Backend backend) {
  if (backend == Backend::own) return 1 << 19;
  return cuts_are_exact(backend) ? 1 << 21 : 1 << 22;
}

Split split_of(ProductSize product, Backend backend) {
  const auto [m, n, k] = product;
  Split split{.size = std::max(m, n), .by_rows = m >= n};
  if (backend == Backend::own && split.by_rows) split.tile = tile_rows;
  const int64_t tile_work = split.tile * std::min(m, n) * k;
  const int64_t block_tiles = (smallest_block(backend) + tile_work - 1) / tile_work;
  const int64_t whole_tiles = split.size / split.tile;
  split.blocks = std::clamp<int64_t>(whole_tiles / std::max<int64_t>(1, block_tiles), 1,
                                     cuts_are_exact(backend) ? threads() : 8);
  return split;
}

thread_local Precision current_precision = Precision::full;
thread_local std::vector<GemmCall>* recorded_calls = nullptr;

// OpenBLAS and block_product(): each thread computes a block of the result.
void product_in_blocks(const Matrix& a, const Matrix& b, const Destination& result) {
  const ProductSize size{height(a), width(b), width(a)};
  const Precision precision = current_precision;
  const Backend backend = b.compact ? Backend::own : backend_of(precision);
  const Split split = split_of(size, backend);
  const PackedMatrix* const packed =
      precision == Precision::full && !b.compact ? PackedWeights::find(b) : nullptr;
  const int64_t scratch_size =
      backend == Backend::own && !packed ? block_product_scratch(size, strided(a), precision) : 0;
  // One buffer for all blocks, so that requests to the pool do not depend on the scheduling of
  // threads.
  Buffer<real> scratch;
  if (scratch_size > 0) scratch = Buffer<real>(split.blocks * scratch_size);
  const auto right = [&](int64_t begin, int64_t end) -> RightSide {
    if (packed) return {*packed, begin};
    if (b.compact) return {*b.compact, b.flipped != b.compact->flipped(), begin};
    return strided(transposed(rows_of(transposed(b), begin, end)));
  };
  parallel_for(split.blocks, 1, [&](int64_t number, int64_t) {
    const int64_t begin = split.begin(number), end = split.begin(number + 1);
    const int64_t row = split.by_rows ? begin : 0, rows = split.by_rows ? end - begin : size.m;
    const int64_t col = split.by_rows ? 0 : begin, cols = split.by_rows ? size.n : end - begin;
    const Matrix left = rows_of(a, row, row + rows);
    const Destination to = result.at(row, col);
    if (backend == Backend::openblas) {
      return openblas_product(left, transposed(rows_of(transposed(b), col, col + cols)), to);
    }
    block_product({rows, cols, size.k}, strided(left), right(col, col + cols), to,
                  scratch ? scratch.data() + number * scratch_size : nullptr, precision);
  });
}

}  // namespace

// OpenBLAS chooses its kernels when it is loaded. For a processor newer than itself it chooses the
// kernels of an older one. The list of names without AVX-512 is complete: a later OpenBLAS adds a
// name only with kernels for that processor. Whether cuts are exact with such kernels is unknown.
BlasKernels blas_kernels(std::string_view name) {
  constexpr std::string_view before_avx512[] = {
      "Unknown",   "Katmai",       "Coppermine",  "Northwood",  "Prescott",    "Banias",
      "Atom",      "Core2",        "Penryn",      "Dunnington", "Nehalem",     "Athlon",
      "Opteron",   "Opteron_SSE3", "Barcelona",   "Nano",       "Sandybridge", "Bobcat",
      "Bulldozer", "Piledriver",   "Steamroller", "Excavator",  "Haswell",     "Zen"};
  // Tested in float. Tiles of different widths round differently in the AVX2 kernels.
  constexpr std::string_view exact[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  return {.fill_vectors = std::ranges::find(before_avx512, name) == std::end(before_avx512),
          .cuts_are_exact =
              sizeof(real) == sizeof(float) && std::ranges::find(exact, name) != std::end(exact)};
}

bool own_product_is_faster() {
#ifdef __AVX512F__
  return !kernels().fill_vectors;
#else
  return false;
#endif
}

ProductPrecision::ProductPrecision(Precision precision) : before_(current_precision) {
  require(precision == Precision::full || sizeof(real) == sizeof(float),
          "products in bfloat16: this build has real = double");
  current_precision = precision;
}
ProductPrecision::~ProductPrecision() { current_precision = before_; }
Precision ProductPrecision::current() { return current_precision; }

GemmRecorder::GemmRecorder(std::vector<GemmCall>& to)
    : before_(std::exchange(recorded_calls, &to)) {}
GemmRecorder::~GemmRecorder() { recorded_calls = before_; }

Matrix transposed(Matrix matrix) {
  matrix.flipped = !matrix.flipped;
  return matrix;
}

Matrix rows_of(Matrix m, int64_t begin, int64_t end) {
  (m.flipped ? m.cols : m.rows) = end - begin;
  m.data += m.flipped ? begin : begin * m.stride;
  return m;
}

Strided strided(const Matrix& m) {
  return m.flipped ? Strided{m.data, 1, m.stride} : Strided{m.data, m.stride, 1};
}

void gemm(const Matrix& a, const Matrix& b, Sink c, real scale, int64_t stride, Finish finish) {
  require(width(a) == height(b), "gemm: [{}, {}] times [{}, {}]", height(a), width(a), height(b),
          width(b));
  flush_denormals();
  const int64_t m = height(a), n = width(b), k = width(a);
  count_work({.flops = 2 * double(m) * double(n) * double(k)});
  if (stride == 0) stride = n;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!c.add) {
      for (int64_t i = 0; i < m; ++i) std::fill_n(c.data + i * stride, n, real(0));
    }
    return finish_rows(c.data, m, n, stride, finish);
  }
  if (recorded_calls) recorded_calls->push_back({m, n, k, a.flipped, b.flipped, c.add});
  if (b.rounded && b.rounded->flipped() == b.flipped && !a.flipped) {
    return int8_product(a, *b.rounded, c, scale, stride, finish);
  }
  if (b.compact && b.compact->flipped() == b.flipped && converts_for(a)) {
    return compact_product(a, *b.compact, c, scale, stride, finish);
  }
  if (!b.compact && has_few_rows(a)) {
    few_rows_product(a, b, c, scale, stride);
    return finish_rows(c.data, m, n, stride, finish);
  }
  product_in_blocks(a, b, {c, stride, scale, finish});
}

std::string blas_description(Precision precision) {
  const std::string_view config = openblas_get_config();
  std::string text = fmt::format("{} {}", config.substr(0, config.find(' ', config.find(' ') + 1)),
                                 openblas_get_corename());
  if (precision == Precision::bfloat16) {
    text += ", calque's own products with operands rounded to bfloat16";
    const product::Bfloat16Unit unit = product::bfloat16_unit();
    if (unit == product::Bfloat16Unit::amx) text += " by AMX";
    if (unit == product::Bfloat16Unit::none) {
      text += " in software (no AVX512-BF16)";
    }
  } else if (own_product_is_faster()) {
    text += ", calque's own products with AVX-512";
  }
  return text;
}

}  // namespace calque
