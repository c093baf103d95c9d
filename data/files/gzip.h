#pragma once
// Unpacks gzip files into nameless temporary files, so that lines can be read in any order.

#include "data/files/file.h"

namespace calque {

// Decides by the first two bytes.
bool is_gzip(const File& file);

// Unpacks all members of the file. Throws an Error for truncated or damaged data.
File unpack_gzip(const File& packed);

}  // namespace calque
