#include "core/random.h"

#include <cmath>
#include <numbers>

#include "core/threads/parallel.h"

namespace calque {
namespace {

constexpr int64_t blocks_per_chunk = 4096;

// 24 random bits (float) or 32 (double) as a number in (0, 1). Adding one half excludes 0, so that
// its logarithm is finite; the largest float would round to 1.
real open_unit(uint32_t bits) {
  if constexpr (sizeof(real) == 4) {
    return std::min((static_cast<real>(bits >> 8) + real(0.5)) * real(0x1p-24), real(1 - 0x1p-24));
  } else {
    return (static_cast<real>(bits) + real(0.5)) * real(0x1p-32);
  }
}

// Fills the span with the four reals that `values` makes of each random block.
template <class Values>
void fill_by_block(const Stream& stream, std::span<real> out, Values values) {
  const auto size = static_cast<int64_t>(out.size());
  parallel_for((size + 3) / 4, blocks_per_chunk, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const std::array<real, 4> four = values(random_block(stream, static_cast<uint32_t>(b)));
      for (int64_t i = b * 4; i < std::min(size, b * 4 + 4); ++i) out[i] = four[i - b * 4];
    }
  });
}

}  // namespace

PhiloxBlock philox(PhiloxBlock c, std::array<uint32_t, 2> key, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;  // the golden ratio
    key[1] += 0xBB67AE85;  // sqrt(3) - 1
  }
  return c;
}

PhiloxBlock random_block(const Stream& s, uint32_t index) {
  return philox({index, s.step, s.part, s.use},
                {static_cast<uint32_t>(s.seed), static_cast<uint32_t>(s.seed >> 32)});
}

uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

void fill_uniform(const Stream& stream, real low, real high, std::span<real> out) {
  fill_by_block(stream, out, [&](const PhiloxBlock& block) {
    std::array<real, 4> four{};
    for (int i = 0; i < 4; ++i) four[i] = low + (high - low) * open_unit(block[i]);
    return four;
  });
}

// Box-Muller: uniform u and v give sqrt(-2 ln u) cos(2 pi v) and sqrt(-2 ln u) sin(2 pi v).
void fill_normal(const Stream& stream, real mean, real deviation, std::span<real> out) {
  fill_by_block(stream, out, [&](const PhiloxBlock& block) {
    std::array<real, 4> four{};
    for (int i = 0; i < 4; i += 2) {
      const real radius = deviation * std::sqrt(-2 * std::log(open_unit(block[i])));
      const real angle = 2 * std::numbers::pi_v<real> * open_unit(block[i + 1]);
      four[i] = mean + radius * std::cos(angle);
      four[i + 1] = mean + radius * std::sin(angle);
    }
    return four;
  });
}

uint32_t Random::next() {
  if (used_ == 4) {
    block_ = random_block(stream_, index_++);
    used_ = 0;
  }
  return block_[used_++];
}

uint64_t Random::next64() {
  const uint64_t high = next();
  return high << 32 | next();
}

uint64_t Random::below(uint64_t limit) {
  const uint64_t reject_from = UINT64_MAX - UINT64_MAX % limit;  // the largest multiple of limit
  uint64_t bits = next64();
  while (bits >= reject_from) bits = next64();
  return bits % limit;
}

double Random::uniform() { return static_cast<double>(next64() >> 11) * 0x1p-53; }

}  // namespace calque
