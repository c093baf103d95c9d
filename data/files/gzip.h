#pragma once
// Unpacks gzip files, and writes text as gzip.

#include <string>
#include <string_view>

#include "data/files/file.h"

namespace calque {

// Whether a file is gzip, which its first two bytes tell.
bool is_gzip(const File& file);

// Appends the content of all members. Throws an Error for truncated or damaged data.
void unpack_gzip(const File& packed, File& plain);

// The bytes as a gzip file; the same bytes each time. Several such files one after the other are
// again a gzip file.
std::string gzip_of(std::string_view bytes);

// Whether a file of this name is written as gzip.
inline bool is_gzip_name(std::string_view path) { return path.ends_with(".gz"); }

}  // namespace calque
