// The kernel with AVX-VNNI, whose instruction adds the products of 4 bytes.

#include "core/processor.h"
#include "core/products/int8/tiles.h"

#ifdef __AVXVNNI__

#include <immintrin.h>

namespace calque::int8 {
namespace {

struct AvxVnni {
  using Left = __m256i;
  using Right = __m256i;
  using Total = __m256i;
  static constexpr int parts = 2, rows = 3, panels = 2;  // 16 of 16 registers
  static Left spread(const uint8_t* a) { return _mm256_set1_epi32(word_at(a)); }
  static Right load(const int8_t* line, int part) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line) + part);
  }
  static Total add(Total total, Left left, Right right) {
    return _mm256_dpbusd_avx_epi32(total, left, right);
  }
  static void store(const Total (&totals)[2], int32_t* sums) {
    for (int i = 0; i < 2; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums) + i, totals[i]);
    }
  }
};

}  // namespace

Kernel avx_vnni() { return processor_has(Extension::avx_vnni) ? &multiply<AvxVnni> : nullptr; }

}  // namespace calque::int8

#else

calque::int8::Kernel calque::int8::avx_vnni() { return nullptr; }

#endif
