// Plain text, split into documents of every unit and tokenized into bytes. Decoding the bytes must
// return the document.

#include <string>

#include "data/documents/dataset.h"
#include "data/documents/windows.h"
#include "data/text/utf8.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

void read_windows(const Dataset& dataset) {
  for (const WindowUse use : {WindowUse::training, WindowUse::evaluation}) {
    for (const bool cross : {true, false}) {
      const TextWindows windows(dataset, {.context = 7, .cross_documents = cross, .use = use});
      int64_t steps = 0;
      std::vector<int32_t> inputs, expected;
      for (int64_t window = 0; window < windows.count(); ++window) {
        windows.read(3, window, inputs, expected);
        must(std::ssize(inputs) == windows.length(window) && inputs.size() == expected.size());
        steps += std::ssize(inputs);
      }
      must(use == WindowUse::evaluation ? steps == windows.steps() : steps >= windows.steps());
    }
  }
}

void read_documents(const DocumentSource& source) {
  const Tokenizer bytes(ByteModel(), {.kind = TokenizerKind::bytes});
  const auto documents = accepted([&] { return Documents(source); });
  if (!documents) return;
  int64_t sound = 0;
  for (int64_t i = 0; i < documents->count(); ++i) {
    const std::string text = documents->text(i);
    must(documents->problem(i).empty() == !find_invalid_utf8(text));
    must(std::ssize(text) <= documents->bytes(i));
    sound += !text.empty() && !find_invalid_utf8(text);
  }
  const auto dataset =
      accepted([&] { return load_documents({source}, bytes, {.invalid = InvalidText::skip}); });
  must(dataset.has_value() == (sound > 0));
  if (!dataset) return;
  must(dataset->examples() == sound);
  Example example;
  for (int64_t i = 0; i < dataset->examples(); ++i) {
    dataset->tokens->read(i, example);
    must(bytes.decode_document(example[0]) == documents->text(dataset->tokens->line(i)));
  }
  read_windows(*dataset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(text_of(data, size));
  for (const DocumentUnit unit :
       {DocumentUnit::lines, DocumentUnit::paragraphs, DocumentUnit::files}) {
    read_documents({DocumentFiles{{file.path()}, unit}});
  }
  return 0;
}
