#pragma once
// Splits slabs of memory into blocks of any size, and merges free neighbours. Batches differ in
// length, so each step needs blocks of different sizes; a cache of blocks by size would hold twice
// the memory in use. Free blocks are kept in lists by size, eight lists for each power of two.

#include <array>
#include <cstddef>
#include <cstdint>

namespace calque {

class Arena {
 public:
  static constexpr int64_t line = 64;  // blocks begin on cache lines

  // Returns a block of at least `bytes`, or nullptr if no free block is large enough.
  std::byte* take(int64_t bytes);
  void give_back(std::byte* block) noexcept;

  // Adds memory, aligned to a line. A slab of slab_bytes(n) holds a block of n bytes.
  void add_slab(std::byte* slab, int64_t bytes);
  static int64_t slab_bytes(int64_t block) { return line + lines_for(block); }

  // Removes each slab without a block in use and passes it to release(start, bytes).
  template <class Release>
  void release_unused(const Release& release) {
    for (Block*& list : free_) {
      for (Block* block = list; block;) {
        Block* const next = block->next_free;
        if (!block->before && block->last) {
          remove_slab(block);
          release(reinterpret_cast<std::byte*>(block), line + block->bytes);
        }
        block = next;
      }
    }
  }

  // The bytes of the block, without its header.
  static int64_t size(const std::byte* block);

 private:
  // The header, in the line before the block's first byte.
  struct Block {
    int64_t bytes;  // of whole lines, without the header
    Block* before;  // the neighbour at lower addresses in the slab, or nullptr
    bool last;      // of its slab
    bool free;
    Block *next_free, *previous_free;  // in its list
  };
  static_assert(sizeof(Block) <= line);

  static int64_t lines_for(int64_t bytes);
  static size_t list_of(int64_t bytes);
  static Block* after(Block* block);
  Block* large_enough(int64_t bytes);
  void insert(Block* block);
  void remove(Block* block);
  void split(Block* block, int64_t bytes);
  void merge_with_next(Block* block);
  void remove_slab(Block* slab);

  std::array<Block*, 512> free_{};  // list i holds the free blocks with list_of(size) == i
};

}  // namespace calque
