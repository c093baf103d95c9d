// A file of word vectors.

#include <cmath>

#include "data/words/vectors.h"
#include "fuzz/memory_file.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(text_of(data, size));
  accepted([&] {
    const WordVectorFile vectors(file.path());
    must(vectors.dimension() > 0);
    vectors.read([&](std::string_view word, std::span<const float> vector) {
      must(!word.empty() && std::ssize(vector) == vectors.dimension());
      for (const float v : vector) must(std::isfinite(v));
    });
    return true;
  });
  return 0;
}
