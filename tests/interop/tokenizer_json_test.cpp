// tokenizer.json, and the merges and rules that it contains. check_language_model.py compares it
// with the library itself.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "data/tokenizers/training.h"
#include "interop/tokenizers/json.h"
#include "interop/tokenizers/vocabulary.h"

namespace calque {
namespace {

Tokenizer pieces(bool nfkc) {
  return train_tokenizer({"eins zwei drei", "drei zwei eins", "zweiunddreissig"},
                         {.kind = TokenizerKind::bpe, .nfkc = nfkc}, {.vocabulary_size = 24});
}

// Applies merges in the order of their priority, the leftmost first, as the library does.
std::vector<int32_t> merged(const SentencePieceModel& model, std::vector<int32_t> ids) {
  for (const auto& [left, right] : merges_of(model)) {
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      if (ids[i] != left || ids[i + 1] != right) continue;
      const std::string whole = model.piece(left) + model.piece(right);
      for (int32_t id = 0; id < model.size(); ++id) {
        if (model.piece(id) == whole) ids[i] = id;
      }
      ids.erase(ids.begin() + static_cast<int64_t>(i) + 1);
    }
  }
  return ids;
}

TEST_CASE("the merges of a BPE model combine characters into its subwords") {
  const Tokenizer tokenizer = pieces(false);
  const SentencePieceModel& model = *tokenizer.sentence_piece();
  std::vector<int32_t> characters;
  for (const char* character : {"▁", "z", "w", "e", "i", "u", "n", "d"}) {
    for (int32_t id = 0; id < model.size(); ++id) {
      if (model.piece(id) == character) characters.push_back(id);
    }
  }
  REQUIRE(characters.size() == 8);
  CHECK(merged(model, characters) == tokenizer.encode("zweiund"));
}

TEST_CASE("several spaces that SentencePiece finds in a text come from the first merges") {
  NewPieceModel pieces;
  pieces.normalization = {.dummy_prefix = false, .removes_spaces = false};
  pieces.pieces.push_back({"▁▁", -1000, PieceKind::user_defined});
  pieces.pieces.push_back({"<tag>", 0, PieceKind::user_defined});
  float score = 0;
  for (const char* piece : {"▁a", "▁", "a"}) {
    pieces.pieces.push_back({piece, --score, PieceKind::normal});
  }
  const SentencePieceModel model(piece_model_bytes(pieces), "test");
  const auto merges = merges_of(model);
  REQUIRE(merges.size() == 2);
  CHECK(model.piece(merges[0].first) + model.piece(merges[0].second) == "▁▁");
  CHECK(model.piece(merges[1].first) + model.piece(merges[1].second) == "▁a");
  const Tokenizer tokenizer(model, {.kind = TokenizerKind::bpe, .nfkc = false});
  const auto added =
      nlohmann::json::parse(tokenizer_json(tokenizer, TextUse::continued))["added_tokens"];
  CHECK(added.back()["content"] == "<tag>");
  for (const auto& token : added) CHECK(token["content"] != "▁▁");
}

TEST_CASE("the normalization of a SentencePiece model is read from its file") {
  const PieceNormalization none = piece_normalization(pieces(false).sentence_piece()->bytes());
  CHECK(none.charsmap.empty());
  CHECK(none.dummy_prefix);
  CHECK(none.removes_spaces);
  const PieceNormalization nfkc = piece_normalization(pieces(true).sentence_piece()->bytes());
  CHECK(nfkc.charsmap.size() > 100'000);
}

TEST_CASE("tokenizer.json stores the rules of NFKC in base64, padded") {
  const auto json = nlohmann::json::parse(tokenizer_json(pieces(true)));
  const auto& first = json["normalizer"]["normalizers"][0];
  CHECK(first["type"] == "Precompiled");
  const auto text = first["precompiled_charsmap"].get<std::string>();
  const size_t bytes = piece_normalization(pieces(true).sentence_piece()->bytes()).charsmap.size();
  CHECK(text.size() == (bytes + 2) / 3 * 4);
}

TEST_CASE("tokenizer.json removes spaces as SentencePiece does, and no other white space") {
  const auto rules = [](TextUse use) {
    return nlohmann::json::parse(tokenizer_json(pieces(false), use))["normalizer"]["normalizers"];
  };
  const auto json = rules(TextUse::continued);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["pattern"]["Regex"] == " {2,}");
  CHECK(json[0]["content"] == " ");
  CHECK(json[1]["pattern"]["Regex"] == "^ | $");
  CHECK(json[1]["content"] == "");
  CHECK(rules(TextUse::masked)[1]["pattern"]["Regex"] == " $");
}

TEST_CASE("tokenizer.json removes the space before each line of a document when it decodes") {
  const auto decoders = [](bool newline) {
    const Tokenizer tokenizer =
        train_tokenizer({"eins zwei\ndrei zwei"}, {.kind = TokenizerKind::bpe},
                        {.vocabulary_size = 16, .newline = newline});
    return nlohmann::json::parse(tokenizer_json(tokenizer))["decoder"]["decoders"].dump();
  };
  const char* removed = R"("pattern":{"String":"\n "})";
  CHECK(decoders(true).find(removed) != std::string::npos);
  CHECK(decoders(false).find(removed) == std::string::npos);
}

TEST_CASE("tokenizer.json of characters contains white space itself, not its escapes") {
  const Tokenizer tokenizer = train_tokenizer({"a b\nc\td"}, {.kind = TokenizerKind::characters},
                                              {.vocabulary_size = 0, .newline = true});
  const auto vocabulary = nlohmann::json::parse(tokenizer_json(tokenizer))["model"]["vocab"];
  REQUIRE(std::ssize(vocabulary) == tokenizer.size());
  const std::vector<int32_t> ids = tokenizer.encode_document("a b\nc\td");
  const char* characters[] = {"a", " ", "b", "\n", "c", "\t", "d"};
  REQUIRE(ids.size() == 7);
  for (size_t i = 0; i < ids.size(); ++i) CHECK(vocabulary[characters[i]] == ids[i]);
}

}  // namespace
}  // namespace calque
