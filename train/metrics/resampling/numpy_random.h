#pragma once
// The random numbers of NumPy's default_rng(seed): PCG64 (O'Neill, "PCG: a family of simple fast
// space-efficient statistically good algorithms", 2014; the variant XSL-RR) behind NumPy's seeding.
//
// Only confidence intervals and p-values use it, so that they equal those that sacreBLEU prints.
// Everything else draws from core/random.h.

#include <cstddef>
#include <cstdint>

namespace calque {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  // Generator.integers(0, limit) for a limit from 1 to 2^32 - 1.
  uint32_t below(uint32_t limit);
  // Generator.integers(2, dtype=bool).
  bool coin();

 private:
  __extension__ using Wide = unsigned __int128;

  void step();
  uint64_t next64();
  uint32_t next32();

  Wide state_ = 0, increment_ = 0;
  bool has_half_ = false;  // half_ has the unused upper half of the last 64 bits
  uint32_t half_ = 0;
  uint32_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace calque
