// WordPiece. The expected words are those of the library tokenizers (Hugging Face).
#include "data/tokenizers/word_piece.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/text/bert_text.h"
#include "data/tokenizers/tokenizer.h"
#include "data/tokenizers/training.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::string words(std::string_view text, bool uncased = true) {
  std::string all;
  for_each_bert_word(text, uncased, [&](std::string_view word) {
    all += all.empty() ? "" : "|";
    all += word;
  });
  return all;
}

TEST_CASE("BERT's words are split at white space, punctuation and Chinese characters") {
  CHECK(words("The cat, it's $5.50 (or so)…") == "the|cat|,|it|'|s|$|5|.|50|(|or|so|)|…");
  CHECK(words("a\u00a0b\u3000c\t d\n") == "a|b|c|d");
  CHECK(words("我爱Köln市") == "我|爱|koln|市");
  CHECK(words("a\u200bb\u0007c\ufffd") == "abc");
  CHECK(words("") == "");
  CHECK(words(" ") == "");
}

TEST_CASE("uncased words are in lower case without accents, cased words are unchanged") {
  CHECK(words("Élève Ünï İstanbul ẞ") == "eleve|uni|istanbul|ß");
  CHECK(words("e\u0301\u0323", true) == "e");
  CHECK(words("Καλημέρα ΚΌΣΜΕ Ѐжик Йод") == "καλημερα|κοσμε|ежик|иод");
  CHECK(words("한국", true) == "\u1112\u1161\u11ab\u1100\u116e\u11a8");
  CHECK(words("\uf900", true) == "豈");
  CHECK(words("\u212b \u01d5 \u1f82 \u1c89 \U00016ea0 \U00011938") ==
        "a|u|α|\u1c8a|\U00016ebb|\U00011938");
  CHECK(words("Élève 한국 Ж", false) == "Élève|한국|Ж");
}

WordPieceModel model_of(const std::vector<std::string>& pieces) {
  WordPieceModel model;
  for (const std::string& piece : pieces) model.vocabulary.add(piece);
  return model;
}

std::vector<int32_t> ids(const WordPieceModel& model, std::string_view text) {
  std::vector<int32_t> found;
  model.encode(text, found);
  return found;
}

TEST_CASE("a word becomes its longest pieces from the left, or <unk>") {
  const WordPieceModel model = model_of({"un", "##aff", "##able", "una", "##ffable", "a", "##ö"});
  CHECK(ids(model, "unaffable") == std::vector<int32_t>{6, 7});
  CHECK(ids(model, "UN unable") == std::vector<int32_t>{3, unknown_id});  // una, and no ##ble
  CHECK(ids(model, "un##able <s>") == std::vector<int32_t>{3, unknown_id, unknown_id, unknown_id,
                                                           unknown_id, unknown_id, unknown_id});
  WordPieceModel long_words = model_of({"a", "##a"});
  CHECK(ids(long_words, std::string(100, 'a')).size() == 100);
  CHECK(ids(long_words, std::string(101, 'a')) == std::vector<int32_t>{unknown_id});
  CHECK(model.decode(std::vector<int32_t>{begin_id, 3, 4, 5, 8, end_id}) == "unaffable a");
  CHECK(model.normalize("Un-Able") == "un - able");
}

TEST_CASE("a WordPiece tokenizer is saved, loaded and cannot be trained") {
  const TokenizerOptions options{.kind = TokenizerKind::word_piece, .lowercase = true};
  const Tokenizer own(model_of({"köln", "koln", "##s", "[PAD]", "[", "pad", "]"}), options);
  const TemporaryFolder folder;
  own.save(folder.path("tokenizer"));
  const Tokenizer read = Tokenizer::load(
      Tokenizer::file_name(folder.path("tokenizer"), TokenizerKind::word_piece), options);
  CHECK(read.hash() == own.hash());
  CHECK(read.encode("Kölns [PAD]") == std::vector<int32_t>{4, 5, 7, 8, 9});
  const Tokenizer cased = Tokenizer::load(folder.path("tokenizer.vocab"),
                                          {.kind = TokenizerKind::word_piece, .lowercase = false});
  CHECK(cased.hash() != own.hash());
  CHECK(cased.encode("köln Köln") == std::vector<int32_t>{3, unknown_id});
  CHECK(message_of<Error>([&] { train_tokenizer({"a"}, options, {}); }) ==
        "training the tokenizer: WordPiece cannot be trained; name an imported vocabulary");
}

}  // namespace
}  // namespace calque
