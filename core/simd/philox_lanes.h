#pragma once
// Philox4x32 (core/random.h) on several blocks at once, one in each 32-bit word of a register.

#include <array>
#include <cstdint>

#include "core/random.h"
#include "core/simd/vector.h"

namespace calque {

using WordPairs [[gnu::vector_size(register_bytes)]] = uint64_t;
constexpr int64_t words_at_once = register_bytes / 4;

// The 64-bit products of the lower word of each pair with `by`. With the SIMD instruction, dropout
// masks are three times as fast, which saves 3% of a step of the preset tiny.
inline WordPairs multiply_lower(WordPairs pairs, uint32_t by) {
#if defined(__AVX512F__)
  return reinterpret_cast<WordPairs>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(pairs), _mm512_set1_epi64(by)));
#elif defined(__AVX2__)
  return reinterpret_cast<WordPairs>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(pairs), _mm256_set1_epi64x(by)));
#elif defined(__SSE2__)
  return reinterpret_cast<WordPairs>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(pairs), _mm_set1_epi64x(by)));
#else
  return (pairs & 0xffffffffU) * by;
#endif
}

// Runs the rounds on words_at_once / 2 blocks. Their words are in the lower halves of pairs, so
// that 64-bit products fit; the upper halves are ignored.
inline void philox_pairs(std::array<WordPairs, 4>& c, uint64_t key, int rounds) {
  auto key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < rounds; ++round) {
    const WordPairs a = multiply_lower(c[0], 0xD2511F53), b = multiply_lower(c[2], 0xCD9E8D57);
    c = {(b >> 32) ^ c[1] ^ key0, b, (a >> 32) ^ c[3] ^ key1, a};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

// The four words of blocks [first, first + words_at_once) of the stream, a block in each lane.
inline std::array<Words, 4> random_blocks(const Stream& stream, uint32_t first, int rounds) {
  WordPairs index{};
  for (uint32_t i = 0; i < words_at_once / 2; ++i) index[i] = first + 2 * i;
  const WordPairs step = WordPairs{} + stream.step, part = WordPairs{} + stream.part,
                  use = WordPairs{} + stream.use;
  std::array<WordPairs, 4> even{index, step, part, use}, odd{index + 1, step, part, use};
  philox_pairs(even, stream.seed, rounds);
  philox_pairs(odd, stream.seed, rounds);
  std::array<Words, 4> blocks;
  for (size_t i = 0; i < 4; ++i) {
    blocks[i] = reinterpret_cast<Words>((even[i] & 0xffffffffU) | (odd[i] << 32));
  }
  return blocks;
}

}  // namespace calque
