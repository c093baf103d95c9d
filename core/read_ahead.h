#pragma once
// What a loop will read next, asked for a cache line at a time while it computes: copying operands
// and multiplying them then take turns without waiting for memory.

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/real.h"

namespace calque {

class ReadAhead {
 public:
  // The lines of one piece of memory after the other: rows of numbers, `stride` apart. Whoever
  // goes on after the last row asks for what lies behind it, which does no harm.
  struct Cursor {
    uintptr_t at, row_end, gap, stride, end;  // in bytes; gap is from the end of a row to the next

    void fetch_line() {
      // Addresses are numbers here: they go beyond what they belong to, as no pointer may.
      __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);  // NOLINT(*-no-int-to-ptr)
      at += line;
      const bool over = at >= row_end;
      at = over ? row_end + gap : at;
      row_end += over ? stride : 0;
    }
    bool done() const { return row_end > end; }
  };

  // After what is there already; two pieces at most.
  void then(const real* data, int64_t rows, int64_t width, int64_t stride) {
    if (rows <= 0 || width <= 0) return;
    const auto bytes = [](int64_t numbers) {
      return static_cast<uintptr_t>(numbers) * sizeof(real);
    };
    const uintptr_t at = reinterpret_cast<uintptr_t>(data);
    pieces_.at(static_cast<size_t>(count_++)) = {at, at + bytes(width), bytes(stride - width),
                                                 bytes(stride),
                                                 at + bytes((rows - 1) * stride + width)};
  }

  // Where to go on: when all has been asked for, a cursor that stays on one line.
  Cursor& cursor() {
    while (current_ < count_ && pieces_[static_cast<size_t>(current_)].done()) ++current_;
    if (current_ < count_) return pieces_[static_cast<size_t>(current_)];
    nothing_.at = reinterpret_cast<uintptr_t>(this);
    nothing_.row_end = nothing_.at + line;
    return nothing_;
  }

 private:
  static constexpr uintptr_t line = 64;
  std::array<Cursor, 2> pieces_;
  Cursor nothing_{0, 0, uintptr_t{0} - line, 0, 0};  // the same line again and again
  int count_ = 0, current_ = 0;
};

}  // namespace calque
