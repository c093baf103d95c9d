#pragma once
// Cuts slabs of memory into blocks of the sizes that are asked for, and joins free neighbours
// again, so that memory of one size serves any other afterwards. The blocks of a training step come
// in many sizes, and the next batch is a little longer: kept apart by size, they would add up to
// twice what is ever in use. Free blocks hang in lists by size, eight an octave, so that a search
// looks at few that are too small.

#include <array>
#include <cstddef>
#include <cstdint>

namespace calque {

class Arena {
 public:
  static constexpr int64_t line = 64;  // blocks begin on cache lines

  // A block of at least `bytes`; nullptr when no free one is large enough.
  std::byte* take(int64_t bytes);
  void give_back(std::byte* block) noexcept;

  // Memory to cut blocks from, aligned to a line; `bytes` must hold slab_bytes(of a block) to be of
  // use for that block.
  void add_slab(std::byte* slab, int64_t bytes);
  static int64_t slab_bytes(int64_t block) { return line + lines_for(block); }

  // Hands every slab of which no block is in use to `release(start, bytes)`, and forgets it.
  template <class Release>
  void release_unused(const Release& release) {
    for (Block*& list : free_) {
      for (Block* block = list; block;) {
        Block* const next = block->next_free;
        if (!block->before && block->last) {
          hand_over(block);
          release(reinterpret_cast<std::byte*>(block), line + block->bytes);
        }
        block = next;
      }
    }
  }

  // Bytes that the block takes, without the arena's own note of it.
  static int64_t size(const std::byte* block);

 private:
  // Stands in the line before the block's first byte.
  struct Block {
    int64_t bytes;  // whole lines, without this one
    Block* before;  // the neighbour at lower addresses in the slab, or nullptr
    bool last;      // in its slab
    bool free;
    Block *next_free, *previous_free;  // in its list
  };
  static_assert(sizeof(Block) <= line);

  static int64_t lines_for(int64_t bytes);
  static size_t list_of(int64_t bytes);
  static Block* after(Block* block);
  Block* large_enough(int64_t bytes);
  void hang(Block* block);
  void unhang(Block* block);
  void split(Block* block, int64_t bytes);
  void join_with_next(Block* block);
  void hand_over(Block* slab);

  std::array<Block*, 512> free_{};  // list i holds the sizes of which list_of() is i
};

}  // namespace calque
