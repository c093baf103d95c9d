// Files of translators. The first byte chooses the format: TMX, XLIFF or a compiled catalogue.

#include "data/files/file.h"
#include "data/formats/mo.h"
#include "data/formats/tmx.h"
#include "data/formats/xliff.h"
#include "fuzz/memory_file.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of(data + 1, size - 1);
  if (data[0] % 3 == 2) {
    accepted([&] { return PoFile::parse(po_of_mo(text, "x.mo"), "x.mo"); });
    return 0;
  }
  const MemoryFile memory(text);
  const TakePair take = [](const std::string& source, const std::string& target, int64_t line) {
    must(line > 0 && !source.empty() && !target.empty());
  };
  accepted([&] {
    const File file = File::open(memory.path());
    (data[0] % 3 == 0 ? read_tmx : read_xliff)(file, "x", {"en", "de"}, take);
    return true;
  });
  return 0;
}
