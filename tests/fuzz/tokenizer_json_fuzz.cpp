// tokenizer.json and vocab.json of transformers: an accepted tokenizer encodes and decodes, and
// each of its ids has a row of the foreign model's embedding, or no_row.

#include "data/text/utf8.h"
#include "fuzz/memory_file.h"
#include "interop/tokenizers/json_import.h"
#include "interop/tokenizers/pieces.h"

using namespace calque;

namespace {

constexpr int64_t rows = 400;

void use(const ForeignTokenizer& read, std::string_view text) {
  const Tokenizer& tokenizer = read.tokenizer;
  must(std::ssize(read.rows) == tokenizer.size());
  for (const int64_t row : read.rows) must(row >= no_row && row < rows);
  if (find_invalid_utf8(text) || text.find('\0') != text.npos) return;
  const std::vector<int32_t> ids = tokenizer.encode_document(text);
  for (const int32_t id : ids) must(id >= 0 && id < tokenizer.size());
  tokenizer.decode_document(ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  const MemoryFile file(input);
  for (const ForeignSpecials& specials :
       {ForeignSpecials{1, 2, rows}, ForeignSpecials{no_row, 0, rows}}) {
    const auto read = accepted([&] { return read_tokenizer_json(file.path(), specials); });
    if (read) use(*read, "a b  c\n\tthe cat");
    if (read) use(*read, input.substr(0, 200));
  }
  const auto tokens = accepted([&] { return read_vocabulary_json(file.path(), rows); });
  if (!tokens) return 0;
  for (const auto& [token, id] : tokens->ids) must(!token.empty() && id >= 0 && id < rows);
  return 0;
}
