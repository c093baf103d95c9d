// Byte-level BPE: the words, the merges, and the file. tests/interop/engines/check_tokenizers.py
// compares tokenizers with the libraries that made them.
#include <doctest/doctest.h>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/text/byte_glyphs.h"
#include "data/text/byte_level_text.h"
#include "data/tokenizers/tokenizer.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::vector<std::string> words_of(std::string_view text, WordRule rule = WordRule::gpt2) {
  std::vector<std::string> words;
  for_each_byte_level_word(text, rule, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

using Words = std::vector<std::string>;

TEST_CASE("a text is split into the words of GPT-2") {
  CHECK(words_of("Hello world") == Words{"Hello", " world"});
  CHECK(words_of("it's we'll don't I'D") ==
        Words{"it", "'s", " we", "'ll", " don", "'t", " I", "'", "D"});
  CHECK(words_of("a1b22") == Words{"a", "1", "b", "22"});
  CHECK(words_of(" x  y   ") == Words{" x", " ", " y", "   "});
  CHECK(words_of("a\n\nb\n c") == Words{"a", "\n", "\n", "b", "\n", " c"});
  CHECK(words_of("a \tb") == Words{"a", " ", "\t", "b"});
  CHECK(words_of("?! ... (x)") == Words{"?!", " ...", " (", "x", ")"});
  CHECK(words_of("\u0416\u00e9\u4e2d \u00b2\u0661 e\u0301") ==
        Words{"\u0416\u00e9\u4e2d", " \u00b2\u0661", " e", "\u0301"});
  CHECK(words_of("a\u00a0b\u3000") == Words{"a", "\u00a0", "b", "\u3000"});
  CHECK(words_of("a\U0002ebf0 1\U00010d40") == Words{"a\U0002ebf0", " 1\U00010d40"});
  CHECK(words_of("a\u0085\u2028\u180e\u200b") == Words{"a", "\u0085", "\u2028", "\u180e\u200b"});
  CHECK(words_of(" ") == Words{" "});
  CHECK(words_of("").empty());
}

TEST_CASE("Llama 3 groups three digits, Qwen takes single ones, and both keep line ends together") {
  const char* text = "It'S 12345 a-b\n\n  c !\n\"d\u00e9j\u00e0";
  CHECK(words_of(text, WordRule::llama3) == Words{"It", "'S", " ", "123", "45", " a", "-b", "\n\n",
                                                  " ", " c", " !\n", "\"d\u00e9j\u00e0"});
  CHECK(words_of(text, WordRule::qwen2) == Words{"It", "'S", " ", "1", "2", "3", "4", "5", " a",
                                                 "-b", "\n\n", " ", " c", " !\n",
                                                 "\"d\u00e9j\u00e0"});
}

TEST_CASE("SmolLM cuts at each digit before it cuts words") {
  CHECK(words_of("a 12  b'S 3", WordRule::smollm) ==
        Words{"a", " ", "1", "2", " ", " b", "'", "S", " ", "3"});
}

Vocabulary all_bytes() {
  Vocabulary vocabulary;
  for (const std::string& glyph : byte_glyphs()) vocabulary.add(glyph);
  return vocabulary;
}

Tokenizer tokenizer_of(const std::vector<BytePairModel::Merge>& merges) {
  Vocabulary vocabulary = all_bytes();
  for (const auto& [left, right] : merges) {
    if (!vocabulary.find(left + right)) vocabulary.add(left + right);
  }
  return {BytePairModel(std::move(vocabulary), merges, {}, "test"),
          {.kind = TokenizerKind::byte_pairs, .nfkc = false}};
}

std::vector<std::string> symbols(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> found;
  for (const int32_t id : tokenizer.encode(text)) found.push_back(tokenizer.symbol(id));
  return found;
}

TEST_CASE("pairs within a word are merged in the order of their ranks, the leftmost first") {
  const Tokenizer tokenizer =
      tokenizer_of({{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"a", "a"}, {"aa", "a"}, {"\u0120", "a"}});
  CHECK(symbols(tokenizer, "abc") == Words{"abc"});
  CHECK(symbols(tokenizer, "abab") == Words{"ab", "ab"});
  CHECK(symbols(tokenizer, "aaa") == Words{"aaa"});
  CHECK(symbols(tokenizer, "aaaa") == Words{"aa", "aa"});
  CHECK(symbols(tokenizer, "b a") == Words{"b", "\u0120a"});
  CHECK(symbols(tokenizer, "b c") == Words{"b", "\u0120", "c"});
  CHECK(symbols(tokenizer, "\n") == Words{"\u010a"});
}

TEST_CASE("byte-level BPE preserves every text, and bytes that are not UTF-8 become U+FFFD") {
  const Tokenizer tokenizer = tokenizer_of({{"a", "b"}, {"\u00c3", "\u00a9"}});
  for (const char* text : {"ab  cd\n\n e\t", "caf\u00e9 \u4e2d\U0001f600", "\u2581 \u0120", ""}) {
    CAPTURE(text);
    CHECK(tokenizer.decode_document(tokenizer.encode_document(text)) == text);
    CHECK(tokenizer.encode_document(text) == tokenizer.encode(text));
  }
  CHECK(tokenizer.encode("\u00e9").size() == 1);
  std::vector<int32_t> ids = tokenizer.encode("\u4e2d");
  REQUIRE(ids.size() == 3);
  ids.pop_back();
  CHECK(tokenizer.decode(ids) == "\ufffd\ufffd");
}

TEST_CASE("a word of 400,000 letters is merged") {
  const Tokenizer tokenizer = tokenizer_of({{"a", "a"}, {"aa", "aa"}});
  CHECK(tokenizer.encode(std::string(400'000, 'a')).size() == 100'000);
}

TEST_CASE("a saved byte-level BPE is loaded unchanged, also where two pairs merge to one token") {
  const TemporaryFolder folder;
  const Tokenizer own = tokenizer_of({{"a", "b"}, {"b", "c"}, {"ab", "c"}, {"a", "bc"}});
  own.save(folder.path("t"));
  const Tokenizer read = Tokenizer::load(folder.path("t.vocab"), own.options());
  CHECK(read.hash() == own.hash());
  CHECK(read.size() == own.size());
  CHECK(symbols(read, "abc bc") == symbols(own, "abc bc"));
  CHECK(own.hash() != tokenizer_of({{"b", "c"}, {"a", "b"}, {"ab", "c"}, {"a", "bc"}}).hash());
}

TEST_CASE("whole words and verbatim tokens come before merges, and the file keeps the rules") {
  Vocabulary vocabulary = all_bytes();
  for (const char* token : {"ab", "abc", "<think>", "<think>x", "<|end|>", "\u00c3\u00a9"}) {
    vocabulary.add(token);
  }
  const Tokenizer own(BytePairModel(std::move(vocabulary), {{"a", "b"}, {"\u00c3", "\u00a9"}},
                                    {.words = WordRule::llama3,
                                     .whole_words = true,
                                     .nfc = true,
                                     .verbatim = {"<think>", "<think>x"},
                                     .control = {"<|end|>"}},
                                    "test"),
                      {.kind = TokenizerKind::byte_pairs, .nfkc = false});
  const TemporaryFolder folder;
  own.save(folder.path("t"));
  const Tokenizer read = Tokenizer::load(folder.path("t.vocab"), own.options());
  CHECK(read.hash() == own.hash());
  for (const Tokenizer& tokenizer : {own, read}) {
    CHECK(symbols(tokenizer, "abc") == Words{"abc"});
    CHECK(symbols(tokenizer, "abd") == Words{"ab", "d"});
    CHECK(symbols(tokenizer, "a<think>xb") == Words{"a", "<think>x", "b"});
    CHECK(symbols(tokenizer, "<think>") == Words{"<think>"});
    CHECK(symbols(tokenizer, "<|end|>").size() == 7);
    CHECK(symbols(tokenizer, "e\u0301") == Words{"\u00c3\u00a9"});
    CHECK(tokenizer.normalize("e\u0301<think>") == "\u00e9<think>");
  }
  folder.write("t.vocab", "<unk>\tllama4" + folder.read("t.vocab").substr(28));
  CHECK(message_of<Error>([&] { Tokenizer::load(folder.path("t.vocab"), own.options()); }) ==
        folder.path("t.vocab") + ":1: 'llama4' is no rule of byte-level BPE");
}

TEST_CASE("a damaged file of byte-level BPE is refused with its name and the reason") {
  const TemporaryFolder folder;
  const Tokenizer own = tokenizer_of({{"a", "b"}});
  own.save(folder.path("t"));
  const std::string text = folder.read("t.vocab");
  REQUIRE(text.ends_with("ab\t0 a b\n"));
  const std::string before = text.substr(0, text.size() - 9);
  const auto refusal = [&](const std::string& changed) {
    const std::string path = folder.write("t.vocab", changed);
    return message_of<Error>([&] { Tokenizer::load(path, own.options()); });
  };
  const std::string path = folder.path("t.vocab");
  CHECK(refusal(before + "ab\t0 a\n") == path + ":260: a rank and two tokens must follow the tab");
  CHECK(refusal(before + "ab\tx a b\n") ==
        path + ":260: a rank and two tokens must follow the tab");
  CHECK(refusal(before + "ab\t0 a bb\n") == path + ": has no token 'bb'");
  CHECK(refusal(before + "ab\t0 a b 1 a b\n") == path + ": a and b are merged twice");
  CHECK(refusal("<unk>\n<s>\n</s>\na\n").starts_with(path + ": has no token "));
}

}  // namespace
}  // namespace calque
