#pragma once
// Prefetches the operands of the next block of a product while the current one is computed, a cache
// line at each step. It saves 4% of a training step of the preset base in bfloat16 (1% in float32).

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/real.h"

namespace calque {

class Prefetch {
 public:
  // Iterates over the cache lines of rows of numbers. It may run past the last row, which is
  // harmless.
  struct Cursor {
    uintptr_t at, row_end, gap, stride, end;  // in bytes; gap is from the end of a row to the next

    void fetch_line() {
      // An integer, because the address may be outside the array, where no pointer may point.
      __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);  // NOLINT(*-no-int-to-ptr)
      at += line;
      const bool over = at >= row_end;
      at = over ? row_end + gap : at;
      row_end += over ? stride : 0;
    }
    bool done() const { return row_end > end; }
  };

  // Adds an array of rows, `stride` numbers apart; at most two arrays.
  void add(const real* data, int64_t rows, int64_t width, int64_t stride) {
    if (rows <= 0 || width <= 0) return;
    const auto bytes = [](int64_t numbers) {
      return static_cast<uintptr_t>(numbers) * sizeof(real);
    };
    const uintptr_t at = reinterpret_cast<uintptr_t>(data);
    arrays_.at(static_cast<size_t>(count_++)) = {at, at + bytes(width), bytes(stride - width),
                                                 bytes(stride),
                                                 at + bytes((rows - 1) * stride + width)};
  }

  // The first array that is not done; after the last one, a cursor that stays on one line.
  Cursor& cursor() {
    while (current_ < count_ && arrays_[static_cast<size_t>(current_)].done()) ++current_;
    if (current_ < count_) return arrays_[static_cast<size_t>(current_)];
    nothing_.at = reinterpret_cast<uintptr_t>(this);
    nothing_.row_end = nothing_.at + line;
    return nothing_;
  }

 private:
  static constexpr uintptr_t line = 64;
  std::array<Cursor, 2> arrays_;
  Cursor nothing_{0, 0, uintptr_t{0} - line, 0, 0};
  int count_ = 0, current_ = 0;
};

}  // namespace calque
