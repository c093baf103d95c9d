#include "core/products/amx.h"

#include <algorithm>
#include <array>

#ifdef __AMX_BF16__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace calque::product {

#ifndef __AMX_BF16__

bool has_matrix_unit() { return false; }

#else

namespace {

constexpr int64_t side = 16;         // rows of a register, and words of a row
constexpr int64_t block = 2 * side;  // C is computed in squares of four registers

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

// c = a b for a square of C, the second half of its rows only if `both`.
void multiply_square(int64_t steps, Strided a, const real* b, real* c, bool both) {
  constexpr auto bytes = [](int64_t words) { return static_cast<long>(words * 4); };
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t step = 0; step < steps; step += side) {
    const real* const right = b + step * block;
    _tile_loadd(6, right, bytes(block));
    _tile_loadd(7, right + side, bytes(block));
    _tile_loadd(4, a.data + step, bytes(a.row));
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (!both) continue;
    _tile_loadd(5, a.data + side * a.row + step, bytes(a.row));
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c, bytes(block));
  _tile_stored(1, c + side, bytes(block));
  if (!both) return;
  _tile_stored(2, c + side * block, bytes(block));
  _tile_stored(3, c + side * block + side, bytes(block));
}

}  // namespace

// Linux lets a process use the registers only after a request.
bool has_matrix_unit() {
  static const bool granted = [] {
    constexpr long request_permission = 0x1023, tile_data = 18;
    return __builtin_cpu_supports("amx-bf16") != 0 &&
           syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  }();
  return granted;
}

void multiply_tiles(int64_t m, int64_t n, int64_t steps, Strided a, Panels b,
                    const Destination& to) {
  static_assert(tile_cols == block && lanes == side);
  const Registers registers;
  alignas(64) std::array<real, block * block> square;
  for (int64_t j = 0; j < n; j += block) {
    for (int64_t i = 0; i < m; i += block) {
      const int64_t rows = std::min(block, m - i), cols = std::min(block, n - j);
      multiply_square(steps, a.from(i, 0), b.data + j / block * b.panel, square.data(),
                      rows > side);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; c += lanes) {
          put(to, i + r, j + c, cols - c, load(&square[static_cast<size_t>(r * block + c)]));
        }
      }
    }
  }
}

#endif

}  // namespace calque::product
