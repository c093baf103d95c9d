#pragma once
// Unpacks gzip files into nameless temporary files, so that lines can be read in any order, and
// packs text.

#include <string>
#include <string_view>

#include "data/files/file.h"

namespace calque {

// The file, unpacked if it is gzip, which its first two bytes tell. Throws an Error for a file that
// cannot be read, and for truncated or damaged data.
File open_unpacked(const std::string& path);

// The bytes as a gzip file; the same bytes each time. Several such files one after the other are
// again a gzip file.
std::string gzip_of(std::string_view bytes);

// Whether a file of this name is written as gzip.
inline bool is_packed_name(std::string_view path) { return path.ends_with(".gz"); }

}  // namespace calque
