#pragma once
// Randomness is a function, not a state. Philox4x32-10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", 2011) maps a key and a counter to 128 random bits, so any thread can compute
// any element of any stream at any time.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/real.h"

namespace calque {

// Identifies one sequence of random blocks. Two streams that differ in any field are independent.
struct Stream {
  uint64_t seed = 0;
  uint32_t step = 0;  // of training, or an epoch
  uint32_t part = 0;  // the rank, or the micro-batch of an accumulated step
  uint32_t use = 0;   // what the numbers are for: an op's number, a purpose
};

using PhiloxBlock = std::array<uint32_t, 4>;

// The Philox4x32 bijection.
PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key, int rounds = 10);

// Block number `index` of a stream.
PhiloxBlock random_block(const Stream& stream, uint32_t index);

// A 64-bit key from a text, such as a parameter's name (FNV-1a); stable across machines.
uint64_t hash_text(std::string_view text);

// Element i of the span depends only on the stream and i.
void fill_uniform(const Stream& stream, real low, real high, std::span<real> out);
void fill_normal(const Stream& stream, real mean, real deviation, std::span<real> out);

// Reads a stream number by number, for sampling and shuffling.
class Random {
 public:
  explicit Random(const Stream& stream) : stream_(stream) {}
  uint32_t next();                 // 32 random bits
  uint64_t next64();               // 64 random bits
  uint64_t below(uint64_t limit);  // uniform in [0, limit), without bias; limit > 0
  double uniform();                // uniform in [0, 1), 53 bits
  template <class Sequence>
  void shuffle(Sequence& sequence) {  // Fisher and Yates
    for (uint64_t i = sequence.size(); i > 1; --i) std::swap(sequence[i - 1], sequence[below(i)]);
  }

 private:
  Stream stream_;
  uint32_t index_ = 0;
  PhiloxBlock block_{};
  int used_ = 4;
};

}  // namespace calque
