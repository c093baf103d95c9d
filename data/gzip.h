#pragma once
// Reading gzip: a compressed text is unpacked once into a nameless temporary file, so that its
// lines can be read in any order like those of a plain one, and memory does not grow with it.

#include "data/file.h"

namespace calque {

// By its first two bytes, whatever the name says.
bool is_gzip(const File& file);

// All members of the file, one after the other. Truncated or damaged data is an Error.
File unpack_gzip(const File& packed);

}  // namespace calque
