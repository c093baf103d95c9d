// Vocabulary files: a loaded vocabulary is the same after writing and loading it, and encodes and
// decodes words and characters.

#include "data/text/utf8.h"
#include "data/tokenizers/tokenizer.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

void load(std::string_view content) {
  const MemoryFile file(content);
  const auto vocabulary = accepted([&] { return Vocabulary::load(file.path()); });
  if (!vocabulary) return;
  const auto text_of = [](const Vocabulary& some) {
    std::string text;
    for (int32_t id = 0; id < some.size(); ++id) text += some.symbol(id) + '\n';
    return text;
  };
  const std::string text = text_of(*vocabulary);
  must(text_of(Vocabulary::load(MemoryFile(text).path())) == text);
  for (const SymbolUnit unit : {SymbolUnit::word, SymbolUnit::character}) {
    const SymbolModel model{unit, *vocabulary};
    std::vector<int32_t> ids;
    if (!find_invalid_utf8(content)) model.encode(content, ids);
    if (!find_invalid_utf8(content)) model.encode_line(content, ids);
    for (const int32_t id : ids) must(id >= 0 && id < vocabulary->size());
    model.decode(ids);
    model.decode_document(ids);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  load(input);
  load("<unk>\n<s>\n</s>\n" + std::string(input));
  return 0;
}
