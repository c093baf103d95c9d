#pragma once
// Unpacks zstd files, which many corpora come in.

#include <array>
#include <string_view>

#include "data/files/file.h"

namespace calque {

// Whether a file is zstd, which its first four bytes tell.
inline bool is_zstd(const File& file) {
  std::array<char, 4> magic{};
  return file.read_at(0, magic) == 4 && std::string_view(magic.data(), 4) == "\x28\xB5\x2F\xFD";
}

// Appends the content of all frames. Throws an Error for truncated or damaged data, and in a build
// without libzstd.
void unpack_zstd(const File& packed, File& plain);

}  // namespace calque
