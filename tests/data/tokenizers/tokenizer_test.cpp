#include "data/tokenizers/tokenizer.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "data/corpora/small_corpus.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/language_tokens.h"
#include "data/tokenizers/training.h"
#include "support/message_of.h"

using namespace calque;

namespace {

Tokenizer trained(const TokenizerOptions& options, int32_t size = 60) {
  return train_tokenizer(small_texts(), options, {.vocabulary_size = size});
}

using Ids = std::vector<int32_t>;

}  // namespace

TEST_CASE("words are split at white space and numbered by frequency") {
  const Tokenizer words =
      train_tokenizer({"b a b", " a\tb  c "}, {.kind = TokenizerKind::words}, {});
  CHECK(words.size() == 6);
  CHECK(words.encode("b a c") == Ids{3, 4, 5});
  CHECK(words.encode("  b \t a\r") == Ids{3, 4});
  CHECK(words.encode("").empty());
  CHECK(words.encode(" \t ").empty());
  CHECK(words.decode(Ids{begin_id, 3, 4, 5, end_id}) == "b a c");
  CHECK(words.decode(Ids{3, unknown_id}) == "b <unk>");
  CHECK(words.normalize(" b   a ") == "b a");
}

TEST_CASE(
    "words are split at Unicode's white space, which the character tokenizer keeps as symbols") {
  const std::vector<std::string> texts = {"b a b"};
  const Tokenizer words = train_tokenizer(texts, {.kind = TokenizerKind::words, .nfkc = false}, {});
  for (const char* space : {"\u0085", "\u00a0", "\u1680", "\u2000", "\u200a", "\u2028", "\u3000"}) {
    CAPTURE(space);
    CHECK(words.encode(std::string("b") + space + "a" + space) == Ids{3, 4});
    CHECK(words.encode_document(std::string(space) + "b" + space + "a") == Ids{3, 4});
  }
  // Characters near those in Unicode, or without width, are no white space.
  for (const char* other : {"\u200b", "\u2030", "\ufeff", "\u0100"}) {
    CHECK(words.encode(std::string("b") + other + "a") == Ids{unknown_id});
  }
  const Tokenizer characters =
      train_tokenizer(texts, {.kind = TokenizerKind::characters, .nfkc = false}, {});
  CHECK(characters.encode("b\u2028a").size() == 3);
}

TEST_CASE("characters are code points, and a space is one of them") {
  const TokenizerOptions options{.kind = TokenizerKind::characters};
  const Tokenizer characters = train_tokenizer({"\u00e4b \u00e4"}, options, {});
  CHECK(characters.size() == 6);
  CHECK(characters.encode("\u00e4b \u00e4") == Ids{3, 4, 5, 3});
  CHECK(characters.decode(characters.encode(" b\u00e4   b ")) == "b\u00e4 b");
  CHECK(characters.symbol(5) == "\u2581");
}

TEST_CASE("<s> and </s> spelled out in a text do not get the ids of the special symbols") {
  const Tokenizer words = train_tokenizer({"a <s> </s>"}, {.kind = TokenizerKind::words}, {});
  CHECK(words.size() == 4);
  CHECK(words.encode("a <s> </s> <unk>") == Ids{3, unknown_id, unknown_id, unknown_id});
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    for (const int32_t id : trained({.kind = kind}).encode("a </s> b <s> <unk>")) {
      CHECK(id != begin_id);
      CHECK(id != end_id);
    }
  }
}

TEST_CASE("a vocabulary is limited in size and by the number of occurrences") {
  const std::vector<std::string> texts = {"a a a a b b b c c d"};
  const TokenizerOptions options{.kind = TokenizerKind::words};
  CHECK(train_tokenizer(texts, options, {.vocabulary_size = 5}).size() == 5);
  const Tokenizer frequent =
      train_tokenizer(texts, options, {.vocabulary_size = 0, .min_count = 2});
  CHECK(frequent.encode("a b c d") == Ids{3, 4, 5, unknown_id});
}

TEST_CASE("decode(encode(text)) is the normalized text") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                                   TokenizerKind::characters}) {
    for (const bool lowercase : {false, true}) {
      const Tokenizer tokenizer = trained({.kind = kind, .lowercase = lowercase}, 60);
      for (const std::string& text : small_texts()) {
        const std::string normal = tokenizer.normalize(text);
        CHECK(tokenizer.decode(tokenizer.encode(text)) == normal);
        CHECK(tokenizer.decode(tokenizer.encode(normal)) == normal);
      }
    }
  }
}

TEST_CASE("lower case and NFKC apply to SentencePiece, words and characters") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                                   TokenizerKind::characters}) {
    const Tokenizer folded = trained({.kind = kind, .lowercase = true, .nfkc = true});
    CHECK(folded.encode("Der M\u00c4DCHEN") == folded.encode("der m\u00e4dchen"));
    CHECK(folded.encode("ma\u0308dchen \uff41") == folded.encode("m\u00e4dchen a"));
    CHECK(folded.normalize("\u2116 tom\u2122") == "no tomtm");  // NFKC makes capitals of the signs
    const Tokenizer exact = trained({.kind = kind, .nfkc = false});
    CHECK(exact.normalize("M\u00e4dchen \u00bd") == "M\u00e4dchen \u00bd");
  }
}

TEST_CASE("trained tokenizers have the special symbols at 0, 1 and 2") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                                   TokenizerKind::characters}) {
    const Tokenizer tokenizer = trained({.kind = kind});
    CHECK(tokenizer.symbol(0) == "<unk>");
    CHECK(tokenizer.symbol(1) == "<s>");
    CHECK(tokenizer.symbol(2) == "</s>");
    CHECK(tokenizer.decode(Ids{begin_id, end_id}).empty());
  }
}

TEST_CASE("an id outside the vocabulary is an error") {
  const Tokenizer words = trained({.kind = TokenizerKind::words}, 10);
  CHECK_THROWS_WITH_AS(words.decode(Ids{10}), "id 10 is outside the vocabulary of 10 symbols",
                       Error);
  CHECK_THROWS_AS(words.decode(Ids{-1}), Error);
  CHECK_THROWS_AS(words.symbol(10), Error);
  const Tokenizer pieces = trained({.kind = TokenizerKind::bpe});
  CHECK_THROWS_AS(pieces.decode(Ids{pieces.size()}), Error);
  CHECK_THROWS_AS(pieces.symbol(-1), Error);
}

TEST_CASE("training gives the same tokenizer each time") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const Tokenizer first = trained({.kind = kind});
    for (int i = 0; i < 3; ++i) CHECK(trained({.kind = kind}).hash() == first.hash());
  }
}

TEST_CASE("a tokenizer is saved and loaded with the same ids and hash") {
  const TemporaryFolder folder;
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                                   TokenizerKind::characters}) {
    const TokenizerOptions options{.kind = kind, .lowercase = true};
    const Tokenizer tokenizer = trained(options);
    const std::string prefix = folder.path(fmt::format("t{}", static_cast<int>(kind)));
    tokenizer.save(prefix);
    const Tokenizer loaded = Tokenizer::load(Tokenizer::file_name(prefix, kind), options);
    CHECK(loaded.hash() == tokenizer.hash());
    for (const std::string& text : small_texts())
      CHECK(loaded.encode(text) == tokenizer.encode(text));
  }
}

TEST_CASE("a SentencePiece model is saved with a readable vocabulary") {
  const TemporaryFolder folder;
  trained({.kind = TokenizerKind::bpe}).save(folder.path("tokenizer"));
  CHECK(folder.read("tokenizer.vocab").starts_with("<unk>\t0\n<s>\t0\n</s>\t0\n"));
}

TEST_CASE("tokenizers with other ids have other hashes") {
  const Tokenizer one = trained({.kind = TokenizerKind::words}, 20);
  CHECK(one.hash() != trained({.kind = TokenizerKind::words}, 21).hash());
  CHECK(one.hash() != trained({.kind = TokenizerKind::words, .lowercase = true}, 20).hash());
  CHECK(trained({.kind = TokenizerKind::bpe}).hash() !=
        trained({.kind = TokenizerKind::unigram}).hash());
  CHECK(trained({.kind = TokenizerKind::bpe}, 60).hash() !=
        trained({.kind = TokenizerKind::bpe}, 61).hash());
  // The option nfkc counts only with lower case; otherwise the model's own rules apply.
  const TemporaryFolder folder;
  trained({.kind = TokenizerKind::bpe, .lowercase = true}, 60).save(folder.path("pieces"));
  const auto hash = [&](bool lowercase, bool nfkc) {
    return Tokenizer::load(folder.path("pieces.model"),
                           {.kind = TokenizerKind::bpe, .lowercase = lowercase, .nfkc = nfkc})
        .hash();
  };
  CHECK(hash(true, true) != hash(true, false));
  CHECK(hash(false, true) == hash(false, false));
}

TEST_CASE("a vocabulary is smaller than requested if the text has too few pieces") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const Tokenizer all = trained({.kind = kind}, 100000);
    CHECK(all.size() > 60);
    CHECK(all.size() < 1000);
    CHECK(all.decode(all.encode("the cat")) == "the cat");
  }
}

TEST_CASE("training without text is an error") {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::words}) {
    CHECK_THROWS_AS(train_tokenizer({"", ""}, {.kind = kind}, {}), Error);
  }
}

TEST_CASE("with byte fallback, characters outside the vocabulary are encoded as bytes") {
  const Tokenizer bytes = train_tokenizer(small_texts(), {.kind = TokenizerKind::bpe},
                                          {.vocabulary_size = 320, .byte_fallback = true});
  CHECK(bytes.decode(bytes.encode("the \U0001F600 cat")) == "the \U0001F600 cat");
}

TEST_CASE("a mark in the text is one token, even if it is rare") {
  std::vector<std::string> texts = small_texts();
  for (const std::string& text : small_texts()) texts.push_back("<bt> " + text);
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const Tokenizer marked =
        train_tokenizer(texts, {.kind = kind}, {.vocabulary_size = 60, .symbols = {"<bt>", "<a>"}});
    CHECK(marked.symbol(marked.encode("the<a>").back()) == "<a>");
    const Ids with = marked.encode("<bt> the cat"), without = marked.encode("the cat");
    CHECK(Ids(with.end() - std::ssize(without), with.end()) == without);
    CHECK(with.size() <= without.size() + 2);  // the space before the line may be a token
    const auto at = static_cast<size_t>(std::ssize(with) - std::ssize(without) - 1);
    CHECK(marked.symbol(with[at]) == "<bt>");
    CHECK(marked.decode(with) == "<bt> the cat");
  }
  const Tokenizer words = train_tokenizer(small_texts(), {.kind = TokenizerKind::words},
                                          {.min_count = 2, .symbols = {"<bt>", "<a>"}});
  CHECK(words.symbol(words.encode("<bt> the").front()) == "<bt>");
  CHECK(words.symbol(words.encode("<a> the").front()) == "<a>");
}

TEST_CASE("a decoded text is one line, whatever bytes it contains") {
  const Tokenizer bytes = train_tokenizer(small_texts(), {.kind = TokenizerKind::bpe},
                                          {.vocabulary_size = 320, .byte_fallback = true});
  std::vector<int32_t> ids = bytes.encode("the");
  for (const std::string_view byte : {"<0x0A>", "<0x0D>", "<0x00>"}) {
    int32_t id = 0;
    while (id < bytes.size() && bytes.symbol(id) != byte) ++id;
    ids.push_back(id);
    for (const int32_t piece : bytes.encode("cat")) ids.push_back(piece);
  }
  CHECK(bytes.normalize(bytes.decode(ids)) == "the cat cat cat");
  CHECK(bytes.decode(ids).find_first_of(std::string_view("\n\r\0", 3)) == std::string::npos);
}

TEST_CASE("a text with a NUL is refused") {
  const Tokenizer pieces = trained({.kind = TokenizerKind::bpe});
  CHECK_THROWS_AS(pieces.encode(std::string_view("a\0b", 3)), Error);
}

TEST_CASE("four threads may encode with one tokenizer") {
  const Tokenizer pieces = trained({.kind = TokenizerKind::unigram});
  std::vector<Ids> expected;
  for (const std::string& text : small_texts()) expected.push_back(pieces.encode(text));
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < expected.size(); ++i) {
        if (pieces.encode(small_texts()[i]) != expected[i]) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("marks are tokens that no text is encoded as") {
  for (const TokenizerKind kind :
       {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::characters}) {
    const Tokenizer tokenizer = train_tokenizer(
        small_texts(), {.kind = kind}, {.vocabulary_size = 60, .marks = {">>de<<", ">>pt-BR<<"}});
    for (const char* mark : {">>de<<", ">>pt-BR<<"}) {
      const auto id = tokenizer.find(mark);
      REQUIRE(id);
      CHECK(tokenizer.symbol(*id) == mark);
      const Ids ids = tokenizer.encode(std::string(mark) + " a dog");
      CHECK(std::ranges::count(ids, *id) == 0);
    }
    CHECK(languages_with_token(tokenizer) == std::vector<std::string>{"de", "pt-BR"});
    CHECK_FALSE(tokenizer.find(">>fr<<"));
  }
  CHECK(languages_with_token(trained({.kind = TokenizerKind::bpe})).empty());
  CHECK(message_of([] {
          train_tokenizer({"a"}, {.kind = TokenizerKind::bytes}, {.marks = {">>de<<"}});
        }) == "training the tokenizer: bytes have no room for other tokens");
}
