#include "core/blas.h"

#include <cblas.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/bfloat16.h"
#include "core/block_product.h"
#include "core/few_rows.h"
#include "core/packed_weights.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "core/simd.h"

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

bool blas_fills_widest_vectors() {
  const std::string_view kernels = openblas_get_corename();
  return kernels == "SkylakeX" || kernels == "Cooperlake" || kernels == "SapphireRapids";
}

ProductSize size_of(const Matrix& a, const Matrix& b) { return {height(a), width(b), width(a)}; }

// In a pass of its own, for products that know no finish.
void finish_rows(real* c, int64_t rows, int64_t cols, int64_t stride, Finish finish) {
  const auto add = [](Vec x, Vec y) { return x + y; };
  const auto relu = [](Vec x) { return max(Vec{}, x); };
  for (int64_t r = 0; r < rows; ++r, c += stride) {
    if (finish.bias) map(cols, c, add, c, finish.bias);
    if (finish.relu) map(cols, c, relu, c);
  }
}

// A block of the result, on the calling thread alone. Without scratch memory it is OpenBLAS's work.
void call(const Matrix& a, const Matrix& b, const Destination& to, real* scratch,
          Precision precision) {
  if (scratch) return block_product(size_of(a, b), strided(a), strided(b), to, scratch, precision);
  [[maybe_unused]] static const bool own_threads_rest = [] {
    // A build with threads of its own, which OneThread does not reach.
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

// Rows [begin, end) of what the matrix stands for.
Matrix rows_of(Matrix m, int64_t begin, int64_t end) {
  (m.flipped ? m.cols : m.rows) = end - begin;
  m.data += m.flipped ? begin : begin * m.stride;
  return m;
}

// Who makes a product.
enum class Maker { openblas, ourselves };

Maker maker_of(Precision precision) {
  return own_product_is_faster() || precision != Precision::full ? Maker::ourselves
                                                                 : Maker::openblas;
}

// Our own product and OpenBLAS's AVX-512 kernels in float give every number the same bits wherever
// the result is cut into blocks. The AVX2 kernels do not (their tiles of different widths round
// differently), and others are not known to.
bool cuts_leave_no_trace(Maker maker) {
  static const bool with_openblas = sizeof(real) == sizeof(float) && blas_fills_widest_vectors();
  return maker == Maker::ourselves || with_openblas;
}

// The result of a product is cut into blocks of rows or of columns that whole kernel tiles fill,
// and each block is made by one thread. OpenBLAS's own threads are not used because they cut the
// inner dimension of some shapes differently than one thread does, which changes the last bits.
// Where cuts leave no trace there is a block a thread; elsewhere blocks depend on the shape alone.
struct Split {
  int64_t pieces = 1;
  int64_t size = 0;  // rows or columns in all
  bool by_rows = true;
  int64_t tile = 32;
  int64_t begin(int64_t piece) const {
    const int64_t tiles = (size + tile - 1) / tile;
    return std::min(size, tiles * piece / pieces * tile);
  }
};

// The least multiplications of a block. OpenBLAS takes matrices below 1,000,000 for small and has
// other kernels for them, which a block should only meet if the whole does.
int64_t smallest_block(Maker maker) {
  if (maker == Maker::ourselves) return 1 << 19;
  return cuts_leave_no_trace(maker) ? 1 << 21 : 1 << 22;
}

Split split_of(ProductSize product, Maker maker) {
  const auto [m, n, k] = product;
  Split split{.size = std::max(m, n), .by_rows = m >= n};
  if (maker == Maker::ourselves && split.by_rows) split.tile = tile_rows;
  const int64_t tile_work = split.tile * std::min(m, n) * k;
  const int64_t tiles_a_piece = (smallest_block(maker) + tile_work - 1) / tile_work;
  const int64_t whole_tiles = split.size / split.tile;
  split.pieces = std::clamp<int64_t>(whole_tiles / std::max<int64_t>(1, tiles_a_piece), 1,
                                     cuts_leave_no_trace(maker) ? threads() : 8);
  return split;
}

thread_local Precision current_precision = Precision::full;
thread_local std::vector<GemmCall>* recorded_calls = nullptr;

}  // namespace

// OpenBLAS chooses its kernels when it is loaded, by a list of the processors it knew when it was
// released. On a newer one it takes kernels for vectors of half the width, at half the speed; there
// the product of our own is as fast as its best kernels are (bench/core compares them).
bool own_product_is_faster() {
#ifdef __AVX512F__
  static const bool faster = !blas_fills_widest_vectors();
  return faster;
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
  if (has_few_rows(a)) {
    few_rows_product(a, b, c, scale, stride);
    return finish_rows(c.data, m, n, stride, finish);
  }
  const Precision precision = current_precision;
  const Maker maker = maker_of(precision);
  const Split split = split_of({m, n, k}, maker);
  const PackedMatrix* const packed =
      precision == Precision::full ? PackedWeights::find(b) : nullptr;
  const int64_t scratch_size = maker == Maker::ourselves && !packed
                                   ? block_product_scratch({m, n, k}, strided(a), precision)
                                   : 0;
  Buffer<real> scratch;  // taken here for all pieces: what the pool is asked depends on no schedule
  if (scratch_size > 0) scratch = Buffer<real>(split.pieces * scratch_size);
  parallel_for(split.pieces, 1, [&](int64_t piece, int64_t) {
    const int64_t begin = split.begin(piece), end = split.begin(piece + 1);
    real* const own = scratch ? scratch.data() + piece * scratch_size : nullptr;
    const int64_t row = split.by_rows ? begin : 0, col = split.by_rows ? 0 : begin;
    const Matrix left = split.by_rows ? rows_of(a, begin, end) : a;
    const Sink block{c.data + row * stride + col, c.add};
    if (packed) {
      const int64_t cols = split.by_rows ? n : end - begin;
      block_product({height(left), cols, k}, strided(left), *packed, col,
                    {block, stride, scale, finish.from(col)});
    } else {
      const Matrix right = split.by_rows ? b : transposed(rows_of(transposed(b), begin, end));
      call(left, right, {block, stride, scale, finish.from(col)}, own, precision);
    }
  });
}

std::string blas_description(Precision precision) {
  const std::string_view config = openblas_get_config();
  std::string text = fmt::format("{} {}", config.substr(0, config.find(' ', config.find(' ') + 1)),
                                 openblas_get_corename());
  if (precision == Precision::bfloat16) {
    text += ", products of our own with operands rounded to bfloat16";
    if (!bfloat16_in_hardware) text += " by software, slower than float32 (no AVX512-BF16 here)";
  } else if (own_product_is_faster()) {
    text += ", products with AVX-512 of our own";
  }
  return text;
}

}  // namespace calque
