#pragma once
// Unpacks gzip files into nameless temporary files, so that lines can be read in any order.

#include <string>

#include "data/files/file.h"

namespace calque {

// The file, unpacked if it is gzip, which its first two bytes tell. Throws an Error for a file that
// cannot be read, and for truncated or damaged data.
File open_unpacked(const std::string& path);

}  // namespace calque
