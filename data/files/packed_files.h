#pragma once
// Compressed files, gzip or zstd, read like plain ones.

#include <string>
#include <string_view>

#include "data/files/file.h"

namespace calque {

// The file or, if it is compressed, which its first bytes tell, a nameless temporary file with its
// content, so that lines can be read in any order. Throws an Error for a file that cannot be read,
// and for truncated or damaged data.
File open_unpacked(const std::string& path);

// The endings of the names of compressed files.
inline constexpr std::string_view packed_endings[] = {".gz", ".zst"};

// The name without such an ending.
inline std::string_view plain_name(std::string_view name) {
  for (const std::string_view ending : packed_endings) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

}  // namespace calque
