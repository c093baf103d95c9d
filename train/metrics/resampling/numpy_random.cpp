#include "train/metrics/resampling/numpy_random.h"

#include <array>
#include <bit>

namespace calque {
namespace {

// NumPy's SeedSequence, with its constants: spreads the bits of a seed over a pool of four words
// and computes the generator's initial state from the pool.
class SeedPool {
 public:
  explicit SeedPool(uint64_t seed) {
    const std::array<uint32_t, 2> entropy = {static_cast<uint32_t>(seed),
                                             static_cast<uint32_t>(seed >> 32)};
    for (size_t i = 0; i < pool_.size(); ++i) pool_[i] = scramble(i < 2 ? entropy[i] : 0);
    for (size_t from = 0; from < pool_.size(); ++from) {
      for (size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = mix(pool_[to], scramble(pool_[from]));
      }
    }
  }

  std::array<uint64_t, 4> words() const {
    std::array<uint64_t, 4> words{};
    uint32_t multiplier = 0x8B51F9DD;
    for (size_t i = 0; i < 8; ++i) {
      uint32_t value = pool_[i % pool_.size()] ^ multiplier;
      multiplier *= 0x58F38DED;
      value *= multiplier;
      value ^= value >> 16;
      words[i / 2] |= uint64_t{value} << (32 * (i % 2));
    }
    return words;
  }

 private:
  uint32_t scramble(uint32_t value) {
    value ^= multiplier_;
    multiplier_ *= 0x931E8875;
    value *= multiplier_;
    return value ^ value >> 16;
  }
  static uint32_t mix(uint32_t a, uint32_t b) {
    const uint32_t mixed = 0xCA01F9DD * a - 0x4973F715 * b;
    return mixed ^ mixed >> 16;
  }

  uint32_t multiplier_ = 0x43B0D7E5;
  std::array<uint32_t, 4> pool_{};
};

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  const std::array<uint64_t, 4> words = SeedPool(seed).words();
  const auto wide = [](uint64_t high, uint64_t low) { return Wide{high} << 64 | low; };
  increment_ = wide(words[2], words[3]) << 1 | 1;
  step();
  state_ += wide(words[0], words[1]);
  step();
}

void NumpyRandom::step() {
  // PCG's default multiplier for 128 bits.
  constexpr Wide multiplier = Wide{2549297995355413924} << 64 | 4865540595714422341;
  state_ = state_ * multiplier + increment_;
}

uint64_t NumpyRandom::next64() {
  step();
  const auto high = static_cast<uint64_t>(state_ >> 64), low = static_cast<uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

uint32_t NumpyRandom::next32() {
  has_half_ = !has_half_;
  if (!has_half_) return half_;
  const uint64_t both = next64();
  half_ = static_cast<uint32_t>(both >> 32);
  return static_cast<uint32_t>(both);
}

// Lemire, "Fast random integer generation in an interval", 2019: rejects products whose low half is
// below 2^32 mod limit, so that all results are equally likely.
uint32_t NumpyRandom::below(uint32_t limit) {
  if (limit == 1) return 0;
  const uint32_t threshold = -limit % limit;  // 2^32 mod limit
  uint64_t product = uint64_t{next32()} * limit;
  while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next32()} * limit;
  return static_cast<uint32_t>(product >> 32);
}

bool NumpyRandom::coin() {
  if (coins_left_ == 0) {
    coins_ = next32();
    coins_left_ = 32;
  }
  const bool heads = (coins_ & 1) != 0;
  coins_ >>= 1;
  --coins_left_;
  return heads;
}

}  // namespace calque
