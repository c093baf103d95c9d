#include "core/memory/pool.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "core/memory/arena.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calque {
namespace {

constexpr int64_t huge_page = int64_t{2} << 20;
constexpr int64_t smallest_slab = int64_t{1} << 20, largest_slab = int64_t{1} << 30;

std::byte* allocate(int64_t bytes) {
  const int64_t alignment = bytes >= 4 * huge_page ? huge_page : Arena::line;
  const int64_t size = (bytes + alignment - 1) / alignment * alignment;
  auto* start = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(size)));
#ifdef __linux__
  if (start && alignment == huge_page) {
    madvise(start, static_cast<size_t>(size), MADV_HUGEPAGE);  // only a hint
  }
#endif
  return start;
}

class Pool {
 public:
  std::byte* take(int64_t wanted) {
    const std::lock_guard lock(mutex_);
    std::byte* block = arena_.take(wanted);
    if (!block) {
      grow(wanted);
      block = arena_.take(wanted);
    }
    statistics_.used += Arena::size(block);
    statistics_.peak = std::max(statistics_.peak, statistics_.used);
    return block;
  }

  void give_back(std::byte* block) noexcept {
    const std::lock_guard lock(mutex_);
    statistics_.used -= Arena::size(block);
    arena_.give_back(block);
  }

  void release_cached() {
    const std::lock_guard lock(mutex_);
    release();
  }

  MemoryStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    statistics_.peak = statistics_.used;
  }

 private:
  // Doubles the memory, so that there are few slabs and their blocks can be merged; the system
  // backs only the pages that are touched. If the system refuses, returns unused slabs and requests
  // only what is needed.
  void grow(int64_t wanted) {
    const int64_t needed = Arena::slab_bytes(wanted);
    const int64_t wished = std::clamp(statistics_.reserved, smallest_slab, largest_slab);
    if (add_slab(std::max(needed, wished))) return;
    release();
    if (!add_slab(needed)) throw std::bad_alloc();
  }

  bool add_slab(int64_t bytes) {
    std::byte* const slab = allocate(bytes);
    if (!slab) return false;
    ++statistics_.requests;
    statistics_.reserved += bytes;
    arena_.add_slab(slab, bytes);
    return true;
  }

  void release() {
    arena_.release_unused([&](std::byte* slab, int64_t bytes) {
      statistics_.reserved -= bytes;
      std::free(slab);
    });
  }

  std::mutex mutex_;
  Arena arena_;
  MemoryStatistics statistics_;
};

// Never destroyed: tensors with static lifetime may return memory after main().
Pool& pool() {
  alignas(Pool) static std::byte place[sizeof(Pool)];
  static Pool& the_pool = *std::construct_at(reinterpret_cast<Pool*>(place));
  return the_pool;
}

}  // namespace

std::byte* memory::take(int64_t bytes) { return pool().take(bytes); }
void memory::give_back(std::byte* block) noexcept { pool().give_back(block); }
MemoryStatistics memory_statistics() { return pool().statistics(); }
void reset_peak_memory() { pool().reset_peak(); }
void release_cached_memory() { pool().release_cached(); }

}  // namespace calque
