// The kernel with AMX (core/products/amx.h), which multiplies 16 rows of 64 bytes by 16 columns
// with one instruction.

#include "core/products/amx.h"

#include "core/processor.h"
#include "core/products/int8/kernel.h"

#ifdef __AMX_INT8__

namespace calque::int8 {
namespace {

// 32 rows and 2 panels, or the first half of each.
void square(const Block& block, int64_t row, int64_t panel, bool lower, bool right) {
  constexpr long line = 64, sums_row = sums_stride * 4;
  const int64_t panel_bytes = block.lines * line;
  const uint8_t* a = block.a + row * block.a_stride;
  const int8_t* b = block.panels + panel * panel_bytes;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t step = 0; step < block.lines / 16; ++step, a += 64, b += 16 * line) {
    _tile_loadd(4, a, block.a_stride);
    _tile_loadd(6, b, line);
    _tile_dpbusd(0, 4, 6);
    if (right) {
      _tile_loadd(7, b + panel_bytes, line);
      _tile_dpbusd(1, 4, 7);
    }
    if (!lower) continue;
    _tile_loadd(5, a + 16 * block.a_stride, block.a_stride);
    _tile_dpbusd(2, 5, 6);
    if (right) _tile_dpbusd(3, 5, 7);
  }
  int32_t* const sums = block.sums + row * sums_stride + panel * 16;
  _tile_stored(0, sums, sums_row);
  if (right) _tile_stored(1, sums + 16, sums_row);
  if (lower) _tile_stored(2, sums + 16 * sums_stride, sums_row);
  if (lower && right) _tile_stored(3, sums + 16 * sums_stride + 16, sums_row);
}

void multiply_squares(const Block& block) {
  const calque::amx::Registers registers;
  for (int64_t panel = 0; panel < block.panel_count; panel += 2) {
    for (int64_t row = 0; row < block.rows; row += 32) {
      square(block, row, panel, row + 16 < block.rows, panel + 1 < block.panel_count);
    }
  }
}

}  // namespace

Kernel amx() { return processor_has(Extension::amx_int8) ? &multiply_squares : nullptr; }

}  // namespace calque::int8

#else

calque::int8::Kernel calque::int8::amx() { return nullptr; }

#endif
