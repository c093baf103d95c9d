#pragma once
// A file in memory with a path, so that readers of files can be fuzzed without a disk.

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace calque {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzz", 0)) {
    if (descriptor_ < 0) std::abort();
    while (!content.empty()) {
      const ssize_t done = write(descriptor_, content.data(), content.size());
      if (done <= 0) std::abort();
      content.remove_prefix(static_cast<size_t>(done));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The function's result, or nothing if it refuses the input with an Error. An Error that nothing
// catches is a finding.
template <class Read>
auto accepted(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error&) {
    return {};
  }
}

// Like assert, but release builds check it too.
inline void must(bool condition) {
  if (!condition) std::abort();
}

}  // namespace calque
