// Damaged and hostile models must be refused before the library loads them.

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/random.h"
#include "data/corpora/small_corpus.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/piece_model_bytes.h"
#include "data/tokenizers/piece_model_check.h"
#include "data/tokenizers/sentence_piece.h"
#include "data/tokenizers/tokenizer.h"
#include "data/tokenizers/vocabulary.h"
#include "support/message_of.h"

using namespace calque;

namespace {

std::string rules(const std::string& blob) { return field(3, field(2, blob)); }

std::string word(uint32_t value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

const std::string& good_model() {
  static const std::string model = train_sentence_piece(small_texts(), {.vocabulary_size = 100});
  return model;
}

std::string fault(const std::string& model) { return check_piece_model(model).fault.value_or(""); }

}  // namespace

TEST_CASE("models trained by the library pass, with and without normalization rules") {
  for (const bool unigram : {false, true}) {
    for (const bool nfkc : {false, true}) {
      for (const bool bytes : {false, true}) {
        const std::string model =
            train_sentence_piece(small_texts(), {.unigram = unigram,
                                                 .nfkc = nfkc,
                                                 .vocabulary_size = bytes ? 310 : 60,
                                                 .byte_fallback = bytes});
        CHECK(fault(model) == "");
      }
    }
  }
}

TEST_CASE("a small handmade model passes and works") {
  const std::string bytes =
      model_of(piece("\u2581a", 1, 0) + piece("\u2581", 1, -2) + piece("a", 1, -3), bpe());
  CHECK(fault(bytes) == "");
  const SentencePieceModel model(bytes, "by hand");
  std::vector<int32_t> ids;
  model.encode("a a", ids);
  CHECK(ids == std::vector<int32_t>{3, 3});
}

TEST_CASE("special symbols that are missing or have other ids get the ids 0, 1 and 2") {
  const std::string other = piece("<pad>", control) + piece("</s>", control) +
                            piece("<unk>", unknown) + piece("\u2581a") + piece("<extra>", control) +
                            piece("\u2581") + piece("a") +
                            field(2, field(3, uint64_t{2}) + field(43, uint64_t{0}));
  const SentencePieceModel model(other, "other");
  CHECK(model.size() == 7);
  CHECK(model.piece(unknown_id) == "<unk>");
  CHECK(model.piece(begin_id) == "<s>");
  CHECK(model.piece(end_id) == "</s>");
  CHECK(model.piece(3) == "\u2581a");
  CHECK(model.piece(4) == "<extra>");
  std::vector<int32_t> ids;
  model.encode("a b", ids);
  REQUIRE(ids.size() == 3);
  CHECK(ids[0] == 3);
  CHECK(ids.back() == unknown_id);
  CHECK(model.decode(std::vector<int32_t>{begin_id, 3, 3, end_id}) == "a a");
}

TEST_CASE("the error about a file that is not a model names the file") {
  const TemporaryFolder folder;
  for (const std::string& content :
       {std::string("this is no model\n"), std::string(), std::string(1000, '\0'),
        good_model().substr(0, good_model().size() / 2), std::string("<unk>\n<s>\n</s>\nword\n")}) {
    const std::string path = folder.write("t.model", content);
    CHECK(message_of<Error>([&] {
            Tokenizer::load(path, {.kind = TokenizerKind::bpe});
          }).starts_with(path + ": not a usable SentencePiece model: "));
  }
  CHECK_THROWS_AS(Tokenizer::load(folder.path("none"), {.kind = TokenizerKind::bpe}), Error);
  CHECK_THROWS_AS(Tokenizer::load(folder.path(""), {.kind = TokenizerKind::bpe}), Error);
}

TEST_CASE("pieces must exist, be distinct, have usable text and a known type") {
  CHECK(fault("") == "it has no pieces");
  CHECK(fault(piece("a")) == "0 unknown symbols, not 1");
  CHECK(fault(model_of(piece("<UNK>", unknown))) == "2 unknown symbols, not 1");
  CHECK(fault(model_of(piece("a") + piece("a"))) == "piece 'a' occurs twice");
  CHECK(fault(model_of(piece(""))) == "piece 3 has no usable text");
  CHECK(fault(model_of(piece("\xFF"))) == "piece 3 has no usable text");
  CHECK(fault(model_of(piece(std::string("a\0b", 3)))) == "piece 3 has no usable text");
  CHECK(fault(model_of(piece(std::string(9000, 'a')))) == "piece 3 has no usable text");
  CHECK(fault(model_of(piece("a", 7))) == "piece 3 is of type 7");
  CHECK(fault(model_of(piece("a", 0))) == "piece 3 is of type 0");
  CHECK(fault(model_of(piece("a", 1, std::numeric_limits<float>::quiet_NaN()))) ==
        "the score of piece 3 is not a number");
  CHECK(fault(model_of(piece("\u2581", control))) ==
        "control piece '\u2581' is a single character");
  CHECK(fault(model_of(piece("<0x41>", byte))) == "1 byte pieces, not 0");
  CHECK(fault(model_of(piece("byte", byte))) == "byte piece 'byte' names no byte");
  CHECK(fault(model_of("", field(2, field(35, uint64_t{1})))) == "0 byte pieces, not 256");
  CHECK(fault(model_of("", field(2, field(3, uint64_t{9})))) == "model type 9 is unknown");
}

TEST_CASE("user-defined symbols that are prefixes of one another must fit the library's buffer") {
  std::string pieces;
  for (int i = 1; i <= 64; ++i) pieces += piece(std::string(i, 'x'), user_defined);
  CHECK(fault(model_of(pieces)) == "");
  CHECK(fault(model_of(pieces + piece(std::string(65, 'x'), user_defined))) ==
        "too many user-defined symbols are prefixes of one another");
}

TEST_CASE("normalization rules that point outside their tables are refused") {
  CHECK(fault(model_of("", rules("abc"))) == "the normalisation rules are cut off");
  CHECK(fault(model_of("", rules(word(0) + "abcd"))) ==
        "the normalisation rules give a wrong size");
  CHECK(fault(model_of("", rules(word(~0u) + "abcd"))) ==
        "the normalisation rules give a wrong size");
  CHECK(fault(model_of("", rules(word(3) + "abcdefg"))) ==
        "the normalisation rules give a wrong size");
  CHECK(fault(model_of("", rules(word(4) + word(0) + "a"))) ==
        "the last normalisation rule does not end");
  // A root whose children would lie behind the end of the array.
  CHECK(fault(model_of("", rules(word(4) + word(0) + std::string(1, '\0')))) ==
        "the normalisation rules point outside their table");
  const auto table = [](std::vector<std::pair<int, uint32_t>> units) {
    std::vector<uint32_t> all(256);
    for (const auto& [at, unit] : units) all[at] = unit;
    std::string blob = word(1024);
    for (const uint32_t unit : all) blob += word(unit);
    return rules(blob + std::string("ab\0", 3));
  };
  CHECK(fault(model_of("", table({}))) == "");
  CHECK(fault(model_of("", table({{0, 0x200 | 1u << 30}}))) ==
        "the normalisation rules point outside their table");
  // The root ends a rule whose replacement is the fourth of three bytes.
  CHECK(fault(model_of("", table({{0, 1u << 10 | 0x100}, {1, 3}}))) ==
        "a normalisation rule points outside the replacements");
  // 'A' leads to itself.
  CHECK(fault(model_of("", table({{'A', 'A' | uint32_t{'A'} << 10}}))) ==
        "the normalisation rules have a cycle");
}

TEST_CASE("a model with random bytes changed or cut off is refused or works") {
  Random random({.seed = 5});
  const std::string& good = good_model();
  int accepted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes = good;
    if (trial % 4 == 0) bytes.resize(random.below(bytes.size()));
    // Half of the changes hit the first 3000 bytes, which are pieces; the others hit any byte, most
    // of which belong to the rules.
    for (uint64_t i = 0; i < 1 + random.below(4) && !bytes.empty(); ++i) {
      const uint64_t end = random.below(2) ? std::min<uint64_t>(bytes.size(), 3000) : bytes.size();
      bytes[random.below(end)] = static_cast<char>(random.next());
    }
    try {
      const SentencePieceModel model(bytes, "changed");
      std::vector<int32_t> ids;
      model.encode("The \u00e4lte \ufb01ne M\u00e4dchen \u2581 \U0001F600", ids);
      model.decode(ids);
      ++accepted;
    } catch (const Error&) {
    }
  }
  CHECK(accepted > 0);
}
