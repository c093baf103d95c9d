// What tokenizers preserve of documents, and the tokenizer of bytes.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/corpora/small_corpus.h"
#include "data/temporary_folder.h"
#include "data/text/utf8.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "support/message_of.h"

using namespace calque;

namespace {

using Ids = std::vector<int32_t>;

constexpr std::array kinds{TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                           TokenizerKind::characters, TokenizerKind::bytes};

// A tokenizer trained on documents of two lines each.
Tokenizer trained(TokenizerKind kind) {
  std::vector<std::string> documents;
  for (size_t i = 0; i + 1 < small_texts().size(); i += 2) {
    documents.push_back(small_texts()[i] + "\n" + small_texts()[i + 1]);
  }
  return train_tokenizer(documents, {.kind = kind, .nfkc = false},
                         {.vocabulary_size = is_sentence_piece(kind) ? 60 : 0, .newline = true});
}

std::string round_trip(const Tokenizer& tokenizer, const std::string& text) {
  return tokenizer.decode_document(tokenizer.encode_document(text));
}

}  // namespace

TEST_CASE("tokenizers with a newline id preserve line ends and empty lines") {
  const std::string text = small_texts()[0] + "\n\n" + small_texts()[1] + "\n" + small_texts()[2];
  for (const TokenizerKind kind : kinds) {
    const Tokenizer tokenizer = trained(kind);
    REQUIRE(tokenizer.newline_id());
    CHECK(round_trip(tokenizer, text) == text);
    CHECK(round_trip(tokenizer, "\n" + text + "\n\n") == "\n" + text + "\n\n");
    CHECK(round_trip(tokenizer, "").empty());
  }
}

TEST_CASE("the ids of a document are those of its lines with the newline id between them") {
  for (const TokenizerKind kind : kinds) {
    const Tokenizer tokenizer = trained(kind);
    const std::string a = small_texts()[0] + "\n" + small_texts()[2], b = small_texts()[1];
    Ids joined = tokenizer.encode_document(a);
    joined.push_back(*tokenizer.newline_id());
    for (const int32_t id : tokenizer.encode_document(b)) joined.push_back(id);
    CHECK(tokenizer.encode_document(a + "\n" + b) == joined);
  }
}

TEST_CASE("a tokenizer is saved and loaded with its newline id") {
  const TemporaryFolder folder;
  const std::string text = small_texts()[0] + "\n" + small_texts()[1];
  for (const TokenizerKind kind : kinds) {
    const Tokenizer tokenizer = trained(kind);
    const std::string prefix = folder.path(std::to_string(static_cast<int>(kind)));
    tokenizer.save(prefix);
    const Tokenizer loaded =
        Tokenizer::load(Tokenizer::file_name(prefix, kind), tokenizer.options());
    CHECK(loaded.hash() == tokenizer.hash());
    CHECK(loaded.newline_id() == tokenizer.newline_id());
    CHECK(loaded.encode_document(text) == tokenizer.encode_document(text));
    const std::string vocabulary = folder.read(std::to_string(static_cast<int>(kind)) + ".vocab");
    CHECK(std::ranges::count(vocabulary, '\n') == tokenizer.size());  // one line per symbol
  }
}

TEST_CASE("the character tokenizer preserves the spaces, tabs and carriage returns of a document") {
  const std::string text = "  a\tb \r c\n\n   b  \n";
  const Tokenizer characters =
      train_tokenizer({text}, {.kind = TokenizerKind::characters}, {.newline = true});
  CHECK(round_trip(characters, text) == text);
  // <n> comes first. The others are sorted by count: 9 spaces, 2 b, and one of each other.
  const TemporaryFolder folder;
  characters.save(folder.path("t"));
  CHECK(folder.read("t.vocab") == "<unk>\n<s>\n</s>\n<n>\n\u2581\nb\n<r>\n<t>\na\nc\n");
  // encode() and decode(), for single lines, do not preserve spaces.
  CHECK(characters.decode(characters.encode(" a  b ")) == "a b");
}

TEST_CASE("word and SentencePiece tokenizers preserve lines, but not runs of spaces") {
  for (const TokenizerKind kind :
       {TokenizerKind::words, TokenizerKind::bpe, TokenizerKind::unigram}) {
    CHECK(round_trip(trained(kind), "  " + small_texts()[0] + "  \n " + small_texts()[2]) ==
          small_texts()[0] + "\n" + small_texts()[2]);
  }
}

TEST_CASE("without a newline id a line end is a space") {
  const Tokenizer words = train_tokenizer({"a b"}, {.kind = TokenizerKind::words}, {});
  CHECK_FALSE(words.newline_id());
  CHECK(round_trip(words, "a\nb") == "a b");
  const Tokenizer characters = train_tokenizer({"a b"}, {.kind = TokenizerKind::characters}, {});
  CHECK(round_trip(characters, "a\n\nb") == "a  b");
  const Tokenizer pieces =
      train_tokenizer(small_texts(), {.kind = TokenizerKind::bpe}, {.vocabulary_size = 60});
  CHECK_FALSE(pieces.newline_id());
  CHECK(round_trip(pieces, small_texts()[0] + "\n" + small_texts()[1]) ==
        small_texts()[0] + " " + small_texts()[1]);
}

TEST_CASE("with byte fallback, the newline id is the byte 10") {
  const Tokenizer bytes = train_tokenizer(small_texts(), {.kind = TokenizerKind::bpe},
                                          {.vocabulary_size = 320, .byte_fallback = true});
  REQUIRE(bytes.newline_id());
  CHECK(bytes.symbol(*bytes.newline_id()) == "<0x0A>");
  CHECK(round_trip(bytes, "a\n\nb c") == "a\n\nb c");
}

TEST_CASE("a word spelled like the symbol of a line end is unknown") {
  const Tokenizer words =
      train_tokenizer({"a b\nc <n>"}, {.kind = TokenizerKind::words}, {.newline = true});
  CHECK(words.encode_document("a <n> b") ==
        Ids{words.encode("a")[0], unknown_id, words.encode("b")[0]});
}

TEST_CASE("a decoded translation is one line, also with a newline id") {
  for (const TokenizerKind kind : kinds) {
    const Tokenizer tokenizer = trained(kind);
    Ids ids = tokenizer.encode(small_texts()[0]);
    ids.push_back(*tokenizer.newline_id());
    CHECK(tokenizer.decode(ids).find('\n') == std::string::npos);
  }
}

TEST_CASE("training uses lines longer than SentencePiece's default limit") {
  std::string line;
  for (int i = 0; i < 300; ++i) line += small_texts()[static_cast<size_t>(i)] + " ";
  REQUIRE(line.size() > 5000);
  const Tokenizer pieces = train_tokenizer({line + "\n" + line}, {.kind = TokenizerKind::bpe},
                                           {.vocabulary_size = 60, .newline = true});
  CHECK(pieces.size() == 60);
}

TEST_CASE("the id of a byte is 3 + byte, and the byte tokenizer preserves any text") {
  const Tokenizer bytes = train_tokenizer({}, {.kind = TokenizerKind::bytes}, {});
  CHECK(bytes.size() == 259);
  CHECK(bytes.encode("A\u00e4") == Ids{3 + 0x41, 3 + 0xC3, 3 + 0xA4});
  CHECK(*bytes.newline_id() == 13);
  CHECK(bytes.symbol(13) == "<0x0A>");
  CHECK(bytes.symbol(end_id) == "</s>");
  const std::string text = "  a\t\u2581\u00bd\u0301\r\n\n\U0001F600 \x01\x7F ";
  CHECK(round_trip(bytes, text) == text);
  CHECK(bytes.decode(bytes.encode("  a\u00bd  b ")) == "  a\u00bd  b ");
  CHECK(bytes.normalize(" a  b") == " a  b");
  const Tokenizer lower(ByteModel(), {.kind = TokenizerKind::bytes, .lowercase = true});
  CHECK(lower.encode("\u00c4") == bytes.encode("\u00e4"));
  CHECK(lower.hash() != bytes.hash());
}

TEST_CASE("the byte tokenizer preserves code points of every length") {
  const Tokenizer bytes(ByteModel(), {.kind = TokenizerKind::bytes});
  std::string text;
  for (char32_t point = 1; point <= 0x10FFFF; point += point < 0x3000 ? 1 : 251) {
    if (point < 0xD800 || point > 0xDFFF) append_utf8(point, text);
  }
  CHECK(round_trip(bytes, text) == text);
}

TEST_CASE("bytes that are not UTF-8 decode to U+FFFD") {
  const Tokenizer bytes(ByteModel(), {.kind = TokenizerKind::bytes});
  const auto decoded = [&](std::string_view raw) {
    Ids ids;
    ByteModel().encode(raw, ids);
    return bytes.decode_document(ids);
  };
  CHECK(decoded("a\xFFz") == "a\uFFFDz");
  CHECK(decoded("\xE4\xB8") == "\uFFFD\uFFFD");
  CHECK(decoded("\xE4\xB8"
                "a\u00e4") == "\uFFFD\uFFFDa\u00e4");
  CHECK(decoded(std::string_view("a\0b", 3)) == "a\uFFFDb");
  CHECK(bytes.decode_document(Ids{begin_id, 3 + 'a', unknown_id, end_id}) == "a\uFFFD");
}

TEST_CASE("the vocabulary file of bytes has 259 lines, and no other file is accepted") {
  const TemporaryFolder folder;
  const TokenizerOptions options{.kind = TokenizerKind::bytes};
  Tokenizer(ByteModel(), options).save(folder.path("bytes"));
  const std::string text = folder.read("bytes.vocab");
  CHECK(std::ranges::count(text, '\n') == 259);
  CHECK(text.starts_with("<unk>\n<s>\n</s>\n<0x00>\n<0x01>\n"));
  CHECK(text.ends_with("<0xFE>\n<0xFF>\n"));
  CHECK(Tokenizer::load(folder.path("bytes.vocab"), options).hash() ==
        Tokenizer(ByteModel(), options).hash());
  // Another size, and another symbol.
  for (const std::string& lines :
       {std::string("<unk>\n<s>\n</s>\na\n"), text.substr(0, text.find("<0xFF>")) + "a\n"}) {
    const std::string other = folder.write("other", lines);
    CHECK(message_of([&] {
            Tokenizer::load(other, options);
          }).starts_with(other + ": not the vocabulary of bytes"));
  }
}

TEST_CASE("tokenizers trained without line ends have the recorded hashes") {
  // A hash covers the bytes of a model and every symbol.
  const auto hash = [](TokenizerKind kind, bool lowercase) {
    return train_tokenizer(small_texts(), {.kind = kind, .lowercase = lowercase},
                           {.vocabulary_size = 60})
        .hash();
  };
  CHECK(hash(TokenizerKind::bpe, false) == 0x829fefc7bfef3cd7);
  CHECK(hash(TokenizerKind::bpe, true) == 0x37e1832d6b50ddda);
  CHECK(hash(TokenizerKind::unigram, false) == 0x35cabfb01bda0537);
  CHECK(hash(TokenizerKind::unigram, true) == 0xc73d373a767e5e33);
  CHECK(hash(TokenizerKind::words, false) == 0x707057fdc3926d91);
  CHECK(hash(TokenizerKind::words, true) == 0x378b01139f44dd2c);
  CHECK(hash(TokenizerKind::characters, false) == 0xa31be9c2e479f8b3);
  CHECK(hash(TokenizerKind::characters, true) == 0xac90c319776b7a47);
}
