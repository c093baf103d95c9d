#pragma once
// Files that are read as a whole, plain, gzip or zstd.

#include <string>

namespace calque {

inline constexpr int64_t most_file_bytes = int64_t{1} << 30;

// Throws an Error for a file that cannot be read or has more than most_file_bytes.
std::string whole_file(const std::string& path);

}  // namespace calque
