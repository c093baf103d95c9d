#pragma once
// The memory of all tensors comes from one caching pool. A training step needs about the same
// blocks as the step before, so the first steps allocate all memory from the system. Blocks are
// aligned to 64 bytes (a cache line, the widest SIMD register) and are not initialised.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>

namespace calque {

struct MemoryStatistics {
  int64_t used = 0;      // bytes in live blocks
  int64_t peak = 0;      // maximum of `used` since the last reset_peak_memory()
  int64_t reserved = 0;  // bytes allocated from the system, including cached blocks
  int64_t requests = 0;  // allocations from the system since the start of the process
};
MemoryStatistics memory_statistics();
void reset_peak_memory();

// Returns cached memory to the system.
void release_cached_memory();

namespace memory {
std::byte* take(int64_t bytes);  // throws std::bad_alloc
void give_back(std::byte* block) noexcept;
}  // namespace memory

// An array of numbers from the pool, with one owner.
template <class Number>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(int64_t size)
      : data_(reinterpret_cast<Number*>(memory::take(bytes_of(size)))), size_(size) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_) memory::give_back(reinterpret_cast<std::byte*>(data_));
  }

  Number* data() { return data_; }
  const Number* data() const { return data_; }
  int64_t size() const { return size_; }
  Number& operator[](int64_t i) { return data_[i]; }
  const Number& operator[](int64_t i) const { return data_[i]; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  static int64_t bytes_of(int64_t size) {
    constexpr auto each = static_cast<int64_t>(sizeof(Number));
    if (size < 0 || size > std::numeric_limits<int64_t>::max() / each) throw std::bad_alloc();
    return size * each;
  }

  Number* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace calque
