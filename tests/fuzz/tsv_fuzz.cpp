// A TSV file. The first byte chooses the columns.

#include "fuzz/read_everything.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const MemoryFile file(text_of(data + 1, size - 1));
  read_everything({TsvFile{file.path(), {1 + data[0] % 3, 1 + data[0] / 3 % 3}}});
  return 0;
}
