// Fuzzes the reader of two line-aligned files. The first byte 0x01 of the input separates the
// files.

#include <algorithm>

#include "fuzz/read_everything.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  const size_t cut = std::min(input.find('\x01'), input.size());
  const MemoryFile source(input.substr(0, cut));
  const MemoryFile target(input.substr(std::min(cut + 1, input.size())));
  read_everything({AlignedFiles{{source.path(), target.path()}}});
  return 0;
}
