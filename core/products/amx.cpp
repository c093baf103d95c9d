#include "core/products/amx.h"

#include <algorithm>
#include <array>

#ifdef CALQUE_AMX
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace calque::product {

#ifndef CALQUE_AMX

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

// A square of C in memory.
struct Square {
  real* data;
  int64_t stride;
};

// c = a b, or c += a b, for a square; the second half of its rows only if `both`.
void multiply_square(int64_t steps, Strided a, const real* b, bool add, Square c, bool both) {
  constexpr auto bytes = [](int64_t words) { return static_cast<long>(words * 4); };
  real* const lower = c.data + side * c.stride;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  if (add) {
    _tile_loadd(0, c.data, bytes(c.stride));
    _tile_loadd(1, c.data + side, bytes(c.stride));
  }
  if (add && both) {
    _tile_loadd(2, lower, bytes(c.stride));
    _tile_loadd(3, lower + side, bytes(c.stride));
  }
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
  _tile_stored(0, c.data, bytes(c.stride));
  _tile_stored(1, c.data + side, bytes(c.stride));
  if (!both) return;
  _tile_stored(2, lower, bytes(c.stride));
  _tile_stored(3, lower + side, bytes(c.stride));
}

// Calls body(row, column, count) for the vectors of a square.
template <class Body>
void for_vectors(int64_t rows, int64_t cols, const Body& body) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; c += lanes) body(r, c, std::min(lanes, cols - c));
  }
}

}  // namespace

// Linux lets a process use the registers only after a request, which fails on other processors.
bool has_matrix_unit() {
  static const bool granted = [] {
    constexpr long request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  }();
  return granted;
}

// Whole squares that need no scale and no finish are read and written in place, all others through
// a copy. Either way the sum of a number begins with C.
void multiply_tiles(int64_t m, int64_t n, int64_t steps, Strided a, Panels b,
                    const Destination& to) {
  static_assert(tile_cols == block && lanes == side);
  const Registers registers;
  alignas(64) std::array<real, block * block> numbers;
  const bool adds = to.c.add && to.scale == 1;
  const bool plain = to.scale == 1 && !to.finish.bias && !to.finish.relu;
  for (int64_t j = 0; j < n; j += block) {
    for (int64_t i = 0; i < m; i += block) {
      const int64_t rows = std::min(block, m - i), cols = std::min(block, n - j);
      const bool in_place = plain && cols == block && (rows == block || rows == side);
      Destination part = to.at(i, j);
      const Square square =
          in_place ? Square{part.c.data, to.stride} : Square{numbers.data(), block};
      const auto at = [&](int64_t r, int64_t c) { return square.data + r * block + c; };
      if (adds && !in_place) {
        for_vectors(rows, cols, [&](int64_t r, int64_t c, int64_t count) {
          store(at(r, c), load_up_to(part.c.data + r * to.stride + c, count));
        });
      }
      multiply_square(steps, a.from(i, 0), b.data + j / block * b.panel, adds, square, rows > side);
      if (in_place) continue;
      part.c.add = to.c.add && !adds;
      for_vectors(rows, cols, [&](int64_t r, int64_t c, int64_t count) {
        put(part, r, c, count, load(at(r, c)));
      });
    }
  }
}

#endif

}  // namespace calque::product
