// Blocks of an arena do not overlap, and adjacent free blocks are merged.
#include "core/memory/arena.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

using namespace calque;

namespace {

// Memory for an arena, owned by the test.
struct Slab {
  explicit Slab(int64_t size)
      : bytes(size),
        memory(
            static_cast<std::byte*>(std::aligned_alloc(Arena::line, static_cast<size_t>(size)))) {}
  ~Slab() { std::free(memory); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  int64_t bytes;
  std::byte* memory;
};

constexpr int64_t slab_size = 1 << 20;

}  // namespace

TEST_CASE("an arena without slabs returns no block") {
  Arena arena;
  CHECK(arena.take(1) == nullptr);
  CHECK(arena.take(0) == nullptr);
}

TEST_CASE("a slab for one block holds exactly that block") {
  for (const int64_t bytes : {0, 1, 63, 64, 65, 1000, 100000}) {
    Arena arena;
    const Slab slab(Arena::slab_bytes(bytes));
    arena.add_slab(slab.memory, slab.bytes);
    std::byte* const block = arena.take(bytes);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(block) % Arena::line == 0);
    CHECK(Arena::size(block) >= bytes);
    CHECK(arena.take(1) == nullptr);
    arena.give_back(block);
    CHECK(arena.take(bytes) == block);
  }
}

TEST_CASE("the starts of consecutive large blocks differ by at least 8 KB modulo 1 MB") {
  constexpr int64_t megabyte = int64_t{1} << 20, most = 8 * megabyte;
  for (const int64_t bytes :
       {megabyte, 3 * megabyte / 2, 3 * megabyte, most, most - 64, most + 8000}) {
    Arena arena;
    const Slab slab(4 * Arena::slab_bytes(bytes));
    arena.add_slab(slab.memory, slab.bytes);
    std::byte* const first = arena.take(bytes);
    for (int number = 1; number < 4; ++number) {
      const std::byte* const next = arena.take(bytes);
      REQUIRE(next != nullptr);
      CHECK((next - first) % megabyte >= 8 << 10);
    }
  }
}

TEST_CASE("adjacent free blocks are merged in any order of release") {
  for (const std::vector<size_t>& order :
       {std::vector<size_t>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    Arena arena;
    const Slab slab(slab_size);
    arena.add_slab(slab.memory, slab.bytes);
    const int64_t whole =
        slab_size - 2 * Arena::line;  // minus the header and a possible guard line
    std::vector<std::byte*> blocks;
    for (const int64_t bytes : {1000, 300000, 500000}) blocks.push_back(arena.take(bytes));
    CHECK(arena.take(whole) == nullptr);
    for (const size_t i : order) arena.give_back(blocks[i]);
    CHECK(arena.take(whole) != nullptr);
  }
}

TEST_CASE("only slabs without blocks in use are released") {
  Arena arena;
  const Slab first(slab_size), second(slab_size);
  arena.add_slab(first.memory, first.bytes);
  arena.add_slab(second.memory, second.bytes);
  std::byte* const block = arena.take(100);
  const bool in_first = block > first.memory && block < first.memory + slab_size;
  const Slab& unused = in_first ? second : first;
  std::vector<std::byte*> released;
  const auto release = [&](std::byte* slab, int64_t bytes) {
    CHECK(bytes == slab_size);
    released.push_back(slab);
  };
  arena.release_unused(release);
  CHECK(released == std::vector<std::byte*>{unused.memory});
  arena.give_back(block);
  arena.release_unused(release);
  CHECK(released.size() == 2);
  CHECK(arena.take(1) == nullptr);
}

TEST_CASE("blocks taken and returned at random keep their contents") {
  std::mt19937_64 random(1);
  Arena arena;
  std::vector<std::unique_ptr<Slab>> slabs;
  std::map<std::byte*, std::pair<int64_t, unsigned char>> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.size() < 50 || random() % 2 == 0) {
      const auto bytes = static_cast<int64_t>(random() % (random() % 8 == 0 ? 200000 : 2000));
      std::byte* block = arena.take(bytes);
      if (!block) {
        slabs.push_back(std::make_unique<Slab>(slab_size));
        arena.add_slab(slabs.back()->memory, slab_size);
        block = arena.take(bytes);
      }
      REQUIRE(block != nullptr);
      const auto mark = static_cast<unsigned char>(step);
      std::memset(block, mark, static_cast<size_t>(bytes));
      REQUIRE(live.emplace(block, std::pair(bytes, mark)).second);
    } else {
      const auto chosen = std::next(live.begin(), static_cast<int64_t>(random() % live.size()));
      const auto& [bytes, mark] = chosen->second;
      for (int64_t i = 0; i < bytes; ++i) {
        if (chosen->first[i] != std::byte{mark}) FAIL("byte ", i, " of a block was overwritten");
      }
      arena.give_back(chosen->first);
      live.erase(chosen);
    }
  }
  for (const auto& entry : live) arena.give_back(entry.first);
  size_t released = 0;
  arena.release_unused([&](std::byte*, int64_t) { ++released; });
  CHECK(released == slabs.size());
}

#ifdef __SANITIZE_ADDRESS__
TEST_CASE("the line after a block, and a returned block, are poisoned for AddressSanitizer") {
  Arena arena;
  const Slab slab(slab_size);
  arena.add_slab(slab.memory, slab.bytes);
  for (const int64_t bytes : {8, 64, 100, 1000}) {
    std::byte* const block = arena.take(bytes);
    CHECK(__asan_region_is_poisoned(block, static_cast<size_t>(bytes)) == nullptr);
    CHECK(__asan_address_is_poisoned(block + bytes));
    CHECK(__asan_address_is_poisoned(block + bytes + Arena::line - 1));
    arena.give_back(block);
    CHECK(__asan_address_is_poisoned(block));
  }
  arena.release_unused([](std::byte*, int64_t) {});
  CHECK(__asan_region_is_poisoned(slab.memory, slab_size) == nullptr);
}
#endif
