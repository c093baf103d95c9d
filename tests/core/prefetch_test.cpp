// Which lines are prefetched, and in which order.
#include "core/products/prefetch.h"

#include <doctest/doctest.h>

#include <vector>

using namespace calque;

namespace {

// The offsets of the next lines from `start`, in elements.
std::vector<int64_t> lines(Prefetch::Cursor& cursor, const real* start, int count) {
  std::vector<int64_t> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(static_cast<int64_t>(cursor.at - reinterpret_cast<uintptr_t>(start)) /
                  static_cast<int64_t>(sizeof(real)));
    cursor.fetch_line();
  }
  return all;
}

}  // namespace

TEST_CASE(
    "the lines of all rows of one array are prefetched, then those of the next, then no more") {
  constexpr int64_t line = 64 / sizeof(real);
  const std::vector<real> memory(static_cast<size_t>(100 * line));
  const real* const start = memory.data();
  Prefetch ahead;
  ahead.add(start, 2, 2 * line, 5 * line);
  ahead.add(start, 0, line, line);  // nothing
  ahead.add(start + 50 * line, 3, line / 2, 4 * line);
  CHECK(lines(ahead.cursor(), start, 4) == std::vector<int64_t>{0, line, 5 * line, 6 * line});
  Prefetch::Cursor& second = ahead.cursor();
  CHECK(lines(second, start, 3) == std::vector<int64_t>{50 * line, 54 * line, 58 * line});
  Prefetch::Cursor& rest = ahead.cursor();
  const std::vector<int64_t> same = lines(rest, start, 3);
  CHECK(same == std::vector<int64_t>(3, same[0]));
}

TEST_CASE("rows without gaps are prefetched from the first line to the last") {
  constexpr int64_t line = 64 / sizeof(real);
  const std::vector<real> memory(static_cast<size_t>(8 * line));
  Prefetch ahead;
  ahead.add(memory.data(), 4, 2 * line, 2 * line);
  CHECK(lines(ahead.cursor(), memory.data(), 8) ==
        std::vector<int64_t>{0, line, 2 * line, 3 * line, 4 * line, 5 * line, 6 * line, 7 * line});
  Prefetch::Cursor& rest = ahead.cursor();
  const std::vector<int64_t> same = lines(rest, memory.data(), 2);
  CHECK(same[0] == same[1]);
}
