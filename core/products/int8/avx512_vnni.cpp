// The kernel with AVX512-VNNI, whose instruction adds the products of 4 bytes.

#include "core/processor.h"
#include "core/products/int8/tiles.h"

#ifdef __AVX512VNNI__

#include <immintrin.h>

namespace calque::int8 {
namespace {

struct Avx512Vnni {
  using Left = __m512i;
  using Right = __m512i;
  using Total = __m512i;
  static constexpr int parts = 1, rows = 6, panels = 4;  // 28 of 32 registers
  static Left spread(const uint8_t* a) { return _mm512_set1_epi32(word_at(a)); }
  static Right load(const int8_t* line, int /*part*/) { return _mm512_loadu_si512(line); }
  static Total add(Total total, Left left, Right right) {
    return _mm512_dpbusd_epi32(total, left, right);
  }
  static void store(const Total (&totals)[1], int32_t* sums) {
    _mm512_storeu_si512(sums, totals[0]);
  }
};

}  // namespace

Kernel avx512_vnni() {
  return processor_has(Extension::avx512_vnni) ? &multiply<Avx512Vnni> : nullptr;
}

}  // namespace calque::int8

#else

calque::int8::Kernel calque::int8::avx512_vnni() { return nullptr; }

#endif
