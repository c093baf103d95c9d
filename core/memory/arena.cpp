#include "core/memory/arena.h"

#include <algorithm>
#include <bit>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CALQUE_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CALQUE_ADDRESS_SANITIZER
#endif
#ifdef CALQUE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace calque {
namespace {

// AddressSanitizer permits access to blocks in use and to headers. A guard line follows each block.
#ifdef CALQUE_ADDRESS_SANITIZER
constexpr int64_t guard = Arena::line;
void allow(void* at, int64_t bytes) { __asan_unpoison_memory_region(at, size_t(bytes)); }
void forbid(void* at, int64_t bytes) { __asan_poison_memory_region(at, size_t(bytes)); }
#else
constexpr int64_t guard = 0;
void allow(void*, int64_t) {}
void forbid(void*, int64_t) {}
#endif

// Intel processors compare the low 20 bits of addresses to decide whether a load depends on an
// earlier store. If the distance of two arrays is slightly more than a multiple of 1 MB, loads from
// one wait for stores to the other (exp of 8 MB takes four times as long). Blocks of a multiple of
// 256 KB, such as tensors whose sizes are powers of two, would have such a distance to the next,
// second or fourth block after them, so large blocks of such sizes are made longer.
constexpr int64_t large = int64_t{1} << 20, margin = int64_t{8} << 10;

// A remainder smaller than this stays part of the block.
constexpr int64_t worth_splitting = 4 * Arena::line;

}  // namespace

int64_t Arena::lines_for(int64_t bytes) {
  const int64_t whole = (std::max<int64_t>(bytes, 1) + guard + line - 1) / line * line;
  const bool too_close = whole >= large && (whole + line) % (large / 4) < margin;
  return too_close ? whole + margin : whole;
}

// Combines the position of the leading bit with the three bits after it, so the sizes in a list
// differ by at most an eighth.
size_t Arena::list_of(int64_t bytes) {
  const auto size = static_cast<uint64_t>(std::max(bytes, line));
  const auto octave = static_cast<size_t>(std::bit_width(size)) - 1;
  return octave * 8 + ((size >> (octave - 3)) & 7);
}

Arena::Block* Arena::after(Block* block) {
  if (block->last) return nullptr;
  return reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(block) + line + block->bytes);
}

// Only the list of the size itself can have blocks that are too small.
Arena::Block* Arena::large_enough(int64_t bytes) {
  size_t list = list_of(bytes);
  for (Block* block = free_[list]; block; block = block->next_free) {
    if (block->bytes >= bytes) return block;
  }
  while (++list < free_.size()) {
    if (free_[list]) return free_[list];
  }
  return nullptr;
}

void Arena::insert(Block* block) {
  Block*& list = free_[list_of(block->bytes)];
  block->free = true;
  block->previous_free = nullptr;
  block->next_free = list;
  if (list) list->previous_free = block;
  list = block;
}

void Arena::remove(Block* block) {
  block->free = false;
  if (block->next_free) block->next_free->previous_free = block->previous_free;
  if (block->previous_free) {
    block->previous_free->next_free = block->next_free;
  } else {
    free_[list_of(block->bytes)] = block->next_free;
  }
}

// Shrinks the block to `bytes` and frees the rest.
void Arena::split(Block* block, int64_t bytes) {
  const int64_t rest = block->bytes - bytes - line;
  if (rest < worth_splitting) return;
  auto* const place = reinterpret_cast<std::byte*>(block) + line + bytes;
  allow(place, sizeof(Block));
  Block* const remainder = new (place) Block{rest, block, block->last, false, nullptr, nullptr};
  if (Block* const next = after(block)) next->before = remainder;
  block->bytes = bytes;
  block->last = false;
  insert(remainder);
}

// Both blocks are free and in no list.
void Arena::merge_with_next(Block* block) {
  Block* const next = after(block);
  block->bytes += line + next->bytes;
  block->last = next->last;
  if (Block* const neighbour = after(block)) neighbour->before = block;
  forbid(next, sizeof(Block));
}

std::byte* Arena::take(int64_t bytes) {
  const int64_t wanted = lines_for(bytes);
  Block* const block = large_enough(wanted);
  if (!block) return nullptr;
  remove(block);
  split(block, wanted);
  std::byte* const memory = reinterpret_cast<std::byte*>(block) + line;
  allow(memory, bytes);
  return memory;
}

void Arena::give_back(std::byte* memory) noexcept {
  auto* block = reinterpret_cast<Block*>(memory - line);
  forbid(memory, block->bytes);
  if (Block* const next = after(block); next && next->free) {
    remove(next);
    merge_with_next(block);
  }
  if (Block* const before = block->before; before && before->free) {
    remove(before);
    merge_with_next(before);
    block = before;
  }
  insert(block);
}

void Arena::add_slab(std::byte* slab, int64_t bytes) {
  insert(new (slab) Block{bytes / line * line - line, nullptr, true, false, nullptr, nullptr});
  forbid(slab + sizeof(Block), bytes - static_cast<int64_t>(sizeof(Block)));
}

void Arena::remove_slab(Block* slab) {
  remove(slab);
  allow(slab, line + slab->bytes);
}

int64_t Arena::size(const std::byte* block) {
  return reinterpret_cast<const Block*>(block - line)->bytes;
}

}  // namespace calque
