#include "core/blas.h"

#include <cblas.h>

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
  const auto size = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_gemm(CblasRowMajor, flag(a), flag(b), size(m), size(n), size(k), scale, a.data,
             size(a.stride), b.data, size(b.stride), c.beta(), c.data, size(stride));
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
