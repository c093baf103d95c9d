#include "core/memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace calque {
namespace {

// A block is preceded by one cache line that remembers its size.
constexpr int64_t line = 64;
constexpr int64_t huge_page = int64_t{2} << 20;

struct Header {
  int64_t bytes;
};
static_assert(sizeof(Header) <= line);

// Sizes are rounded up to one of eight steps an octave: at most 1/8 is wasted, and batches of
// nearly the same size find each other's blocks.
int64_t rounded(int64_t bytes) {
  bytes = std::max<int64_t>(bytes, line);
  const auto octave = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
  const int64_t step = std::max<int64_t>(line, octave / 8);
  return (bytes + step - 1) / step * step;
}

std::byte* ask_system(int64_t bytes) {
  const int64_t total = bytes + line;
  const int64_t alignment = total >= 4 * huge_page ? huge_page : line;
  const int64_t size = (total + alignment - 1) / alignment * alignment;
  auto* start = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(size)));
#ifdef __linux__
  if (start && alignment == huge_page) {
    madvise(start, static_cast<size_t>(size), MADV_HUGEPAGE);  // only a wish
  }
#endif
  return start;
}

class Pool {
 public:
  std::byte* take(int64_t wanted) {
    const int64_t bytes = rounded(wanted);
    const std::lock_guard lock(mutex_);
    std::byte* block = cached(bytes);
    if (!block) block = fresh(bytes);
    statistics_.used += size_of(block);
    statistics_.peak = std::max(statistics_.peak, statistics_.used);
    return block;
  }

  void give_back(std::byte* block) noexcept {
    const std::lock_guard lock(mutex_);
    const int64_t bytes = size_of(block);
    statistics_.used -= bytes;
    try {
      free_.emplace(bytes, block);
    } catch (const std::bad_alloc&) {  // no room to remember the block: let it go
      statistics_.reserved -= bytes;
      std::free(block - line);
    }
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

  ~Pool() { release(); }

 private:
  static int64_t size_of(const std::byte* block) {
    return reinterpret_cast<const Header*>(block - line)->bytes;
  }

  // The smallest cached block that is large enough, unless it is more than a quarter too large.
  std::byte* cached(int64_t bytes) {
    const auto found = free_.lower_bound(bytes);
    if (found == free_.end() || found->first > bytes + bytes / 4) return nullptr;
    std::byte* block = found->second;
    free_.erase(found);
    return block;
  }

  std::byte* fresh(int64_t bytes) {
    std::byte* start = ask_system(bytes);
    if (!start) {
      release();
      start = ask_system(bytes);
      if (!start) throw std::bad_alloc();
    }
    ++statistics_.requests;
    statistics_.reserved += bytes;
    reinterpret_cast<Header*>(start)->bytes = bytes;
    return start + line;
  }

  void release() {
    for (const auto& [bytes, block] : free_) {
      statistics_.reserved -= bytes;
      std::free(block - line);
    }
    free_.clear();
  }

  std::mutex mutex_;
  std::multimap<int64_t, std::byte*> free_;
  MemoryStatistics statistics_;
};

// Never destroyed: tensors with static lifetime may give their memory back after main has ended.
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
