#pragma once
// AMX, the matrix unit of some Intel processors: eight registers of 16 rows of 64 bytes, and
// instructions that add the product of two of them to a third. Only for files that are compiled for
// it (core/processor.h).

#ifdef __AMX_TILE__
#include <immintrin.h>

#include <array>
#include <cstdint>

namespace calque::amx {

constexpr int64_t side = 16;  // rows of a register, and words of a row

struct alignas(64) Configuration {
  uint8_t palette = 1, start_row = 0;
  std::array<uint8_t, 14> reserved{};
  std::array<uint16_t, 16> row_bytes{};
  std::array<uint8_t, 16> rows{};
};
static_assert(sizeof(Configuration) == 64);

// The registers of the calling thread, all of 16 rows of 64 bytes, while it is alive.
class Registers {
 public:
  Registers() {
    Configuration configuration;
    for (size_t i = 0; i < 8; ++i) configuration.row_bytes[i] = 64, configuration.rows[i] = side;
    _tile_loadconfig(&configuration);
  }
  ~Registers() { _tile_release(); }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
};

}  // namespace calque::amx
#endif
