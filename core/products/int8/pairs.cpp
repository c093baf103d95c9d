// The kernel for any processor. On x86-64 and aarch64 it widens bytes to 16 bits and adds the
// products of two, because the instruction for bytes overflows or is missing.

#include "core/products/int8/tiles.h"

#ifdef __SSE4_1__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace calque::int8 {
namespace {

#if defined(__AVX2__)

struct Pairs {
  using Left = __m256i;
  using Right = __m256i;
  using Total = __m256i;                                 // two sums of each of 4 columns
  static constexpr int parts = 4, rows = 2, panels = 1;  // 13 of 16 registers
  static Left spread(const uint8_t* a) {
    return _mm256_broadcastq_epi64(_mm_cvtepu8_epi16(_mm_cvtsi32_si128(word_at(a))));
  }
  static Right load(const int8_t* line, int part) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(line) + part));
  }
  static Total add(Total total, Left left, Right right) {
    return _mm256_add_epi32(total, _mm256_madd_epi16(left, right));
  }
  static void store(const Total (&totals)[4], int32_t* sums) {
    for (int i = 0; i < 2; ++i) {
      const __m256i both = _mm256_hadd_epi32(totals[2 * i], totals[2 * i + 1]);
      const __m256i ordered = _mm256_permute4x64_epi64(both, 0xd8);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums) + i, ordered);
    }
  }
};

#elif defined(__SSE4_1__)

struct Pairs {
  using Left = __m128i;
  using Right = __m128i;
  using Total = __m128i;                                 // two sums of each of 2 columns
  static constexpr int parts = 8, rows = 1, panels = 1;  // 10 of 16 registers
  static Left spread(const uint8_t* a) {
    const __m128i four = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(word_at(a)));
    return _mm_unpacklo_epi64(four, four);
  }
  static Right load(const int8_t* line, int part) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(line + 8 * part)));
  }
  static Total add(Total total, Left left, Right right) {
    return _mm_add_epi32(total, _mm_madd_epi16(left, right));
  }
  static void store(const Total (&totals)[8], int32_t* sums) {
    for (int i = 0; i < 4; ++i) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(sums) + i,
                       _mm_hadd_epi32(totals[2 * i], totals[2 * i + 1]));
    }
  }
};

#elif defined(__aarch64__)

struct Pairs {
  using Left = int16x8_t;
  using Right = int16x8_t;
  using Total = int32x4_t;                               // two sums of each of 2 columns
  static constexpr int parts = 8, rows = 2, panels = 1;  // 25 of 32 registers
  static Left spread(const uint8_t* a) {
    const uint8x8_t twice = vreinterpret_u8_s32(vdup_n_s32(word_at(a)));
    return vreinterpretq_s16_u16(vmovl_u8(twice));
  }
  static Right load(const int8_t* line, int part) { return vmovl_s8(vld1_s8(line + 8 * part)); }
  // A product is at most 255 * 127, which fits into 16 bits.
  static Total add(Total total, Left left, Right right) {
    return vpadalq_s16(total, vmulq_s16(left, right));
  }
  static void store(const Total (&totals)[8], int32_t* sums) {
    for (int i = 0; i < 4; ++i)
      vst1q_s32(sums + 4 * i, vpaddq_s32(totals[2 * i], totals[2 * i + 1]));
  }
};

#else

struct Pairs {
  struct Left {
    int32_t number[4];
  };
  using Right = const int8_t*;
  struct Total {
    int32_t sum[16];
  };
  static constexpr int parts = 1, rows = 1, panels = 1;
  static Left spread(const uint8_t* a) { return {{a[0], a[1], a[2], a[3]}}; }
  static Right load(const int8_t* line, int /*part*/) { return line; }
  static Total add(Total total, const Left& left, Right line) {
    for (int col = 0; col < 16; ++col) {
      for (int j = 0; j < 4; ++j) total.sum[col] += left.number[j] * line[4 * col + j];
    }
    return total;
  }
  static void store(const Total (&totals)[1], int32_t* sums) {
    std::copy_n(totals[0].sum, 16, sums);
  }
};

#endif

}  // namespace

Kernel pairs() { return &multiply<Pairs>; }

}  // namespace calque::int8
