// SentencePiece models: the input itself, and a valid model with the changes that the input lists,
// so that mutations reach all parts of the format. An accepted model must encode and decode.

#include <memory>

#include "data/tokenizers/sentence_piece.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

void use(std::string bytes) {
  const auto loaded =
      accepted([&] { return std::make_unique<SentencePieceModel>(std::move(bytes), "input"); });
  if (!loaded) return;
  const SentencePieceModel& model = **loaded;
  std::vector<int32_t> ids;
  for (const char* text :
       {"The old  house", "\u00c4\ufb01\u00bd\u3000e\u0301 \u2581", "\xFF\xC3"}) {
    model.encode(text, ids);
    model.normalize(text);
  }
  for (const int32_t id : ids) must(id >= 0 && id < model.size());
  model.decode(ids);
  for (int32_t id = 0; id < std::min(model.size(), 100); ++id) model.piece(id);
}

const std::string& sound_model(bool rules) {
  static const std::string text[] = {"ab abc abcd bcd"};
  static const std::string with = train_sentence_piece(text, {.vocabulary_size = 12});
  static const std::string without =
      train_sentence_piece(text, {.nfkc = false, .vocabulary_size = 12});
  return rules ? with : without;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  use(std::string(text_of(data, size)));
  if (size == 0) return 0;
  std::string changed = sound_model(data[0] & 1);
  // Each change is four bytes: the position (24 bits, modulo the size) and the new byte.
  for (size_t i = 1; i + 4 <= size; i += 4) {
    const size_t where = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
    changed[where % changed.size()] = static_cast<char>(data[i + 3]);
  }
  use(std::move(changed));
  return 0;
}
