// GGUF files: the import of an accepted file is refused or returns a tokenizer whose ids are in the
// vocabulary.

#include "fuzz/memory_file.h"
#include "interop/gguf/format.h"

using namespace calque;

namespace {

// The file gives the same bytes after writing and parsing it, unless it has values that calque does
// not write or an alignment of its own.
void write_again(const GgufFile& file) {
  for (const auto& [key, value] : file.values) {
    if (std::holds_alternative<std::monostate>(value) || key == "general.alignment") return;
  }
  const std::string bytes = gguf_bytes(file);
  must(gguf_bytes(parse_gguf(bytes, "again")) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = accepted([&] { return parse_gguf(text_of(data, size), "fuzz"); });
  if (!file) return 0;
  write_again(*file);
  const auto imported = accepted([&] { return import_gguf(*file, "fuzz"); });
  if (!imported) return 0;
  const Tokenizer& tokenizer = imported->source();
  for (const int32_t id : tokenizer.encode("the cat sat")) must(id >= 0 && id < tokenizer.size());
  return 0;
}
