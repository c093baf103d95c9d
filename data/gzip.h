#pragma once
// Reading gzip: a file is unpacked once into a nameless temporary file, so that its lines can be
// read in any order.

#include "data/file.h"

namespace calque {

// Decides by the first two bytes.
bool is_gzip(const File& file);

// Unpacks all members of the file. Throws an Error for truncated or damaged data.
File unpack_gzip(const File& packed);

}  // namespace calque
