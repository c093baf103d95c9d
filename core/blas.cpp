#include "core/blas.h"

#include <cblas.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#ifdef __linux__
#include <unistd.h>
#endif

#include "core/parallel.h"

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

// One call of the library, on the calling thread alone.
void call(const Matrix& a, const Matrix& b, Sink c, real scale, int64_t stride) {
  const OneThread alone;
  const auto size = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_gemm(CblasRowMajor, flag(a), flag(b), size(height(a)), size(width(b)), size(width(a)),
             scale, a.data, size(a.stride), b.data, size(b.stride), c.beta(), c.data, size(stride));
}

// Rows [begin, end) of what the matrix stands for.
Matrix rows_of(Matrix m, int64_t begin, int64_t end) {
  (m.flipped ? m.cols : m.rows) = end - begin;
  m.data += m.flipped ? begin : begin * m.stride;
  return m;
}

// OpenBLAS's own threads cut the inner dimension of some shapes differently than one thread does,
// which changes the last bits. So the result is cut here, into blocks of rows or of columns that
// whole kernel tiles fill, and each block is one single-threaded call. A block is never so small
// that OpenBLAS would take its kernels for small matrices, unless the whole is.
//
// The AVX-512 kernels then give every number the same bits wherever the cuts are, and there is a
// block a thread. The AVX2 kernels do not (their tiles of different widths round differently), so
// with those, and with any we do not know, the blocks depend on the shape alone.
bool cuts_leave_no_trace() {
  static const bool known = [] {
    const std::string_view kernels = openblas_get_corename();
    if (sizeof(real) != sizeof(float)) return false;
    return kernels == "SkylakeX" || kernels == "Cooperlake" || kernels == "SapphireRapids";
  }();
  return known;
}

struct Split {
  int64_t pieces = 1;
  int64_t size = 0;  // rows or columns in all
  bool by_rows = true;
  static constexpr int64_t tile = 32;
  int64_t begin(int64_t piece) const {
    const int64_t tiles = (size + tile - 1) / tile;
    return std::min(size, tiles * piece / pieces * tile);
  }
};

Split split_of(int64_t m, int64_t n, int64_t k) {
  const bool free = cuts_leave_no_trace();
  // In multiplications; OpenBLAS takes matrices below 1,000,000 for small.
  const int64_t smallest_block = free ? 1 << 21 : 1 << 22;
  Split split{.pieces = 1, .size = std::max(m, n), .by_rows = m >= n};
  const int64_t tile_work = Split::tile * std::min(m, n) * k;
  const int64_t tiles_a_piece = std::max<int64_t>(1, (smallest_block + tile_work - 1) / tile_work);
  const int64_t whole_tiles = split.size / Split::tile;
  split.pieces = std::clamp<int64_t>(whole_tiles / tiles_a_piece, 1, free ? threads() : 8);
  return split;
}

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

Matrix transposed(Matrix matrix) {
  matrix.flipped = !matrix.flipped;
  return matrix;
}

void gemm(const Matrix& a, const Matrix& b, Sink c, real scale, int64_t stride) {
  require(width(a) == height(b), "gemm: [{}, {}] times [{}, {}]", height(a), width(a), height(b),
          width(b));
  flush_denormals();
  const int64_t m = height(a), n = width(b), k = width(a);
  if (stride == 0) stride = n;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!c.add) {
      for (int64_t i = 0; i < m; ++i) std::fill_n(c.data + i * stride, n, real(0));
    }
    return;
  }
  const Split split = split_of(m, n, k);
  parallel_for(split.pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = split.begin(piece), end = split.begin(piece + 1);
      if (split.by_rows) {
        call(rows_of(a, begin, end), b, {c.data + begin * stride, c.add}, scale, stride);
      } else {
        call(a, transposed(rows_of(transposed(b), begin, end)), {c.data + begin, c.add}, scale,
             stride);
      }
    }
  });
}

std::string blas_description() {
  const std::string_view config = openblas_get_config();
  return fmt::format("{} {}", config.substr(0, config.find(' ', config.find(' ') + 1)),
                     openblas_get_corename());
}

void use_fastest_blas_kernels([[maybe_unused]] char** arguments) {
#ifdef __linux__
  const std::string_view chosen = openblas_get_corename();
  const bool knows_avx512 =
      chosen == "SkylakeX" || chosen == "Cooperlake" || chosen == "SapphireRapids";
  if (knows_avx512 || !cpu_has_avx512() || std::getenv("OPENBLAS_CORETYPE")) return;
  if (setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 1) == 0) execv("/proc/self/exe", arguments);
#endif
}

}  // namespace calque
