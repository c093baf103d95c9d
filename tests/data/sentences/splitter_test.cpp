// Sentences in texts of several scripts, and what learning from a corpus adds.
#include "data/sentences/splitter.h"

#include <doctest/doctest.h>

#include <fstream>

#include "core/error.h"
#include "core/random.h"
#include "data/sentences/learning.h"
#include "data/text/utf8.h"
#include "support/message_of.h"

namespace calque {
namespace {

using Sentences = std::vector<std::string>;

Sentences sentences_of(const SentenceSplitter& splitter, std::string_view text) {
  Sentences sentences;
  for (const TextRange& range : splitter.split(text)) sentences.emplace_back(range.of(text));
  return sentences;
}

Sentences sentences_in(std::string_view language, std::string_view text) {
  return sentences_of(SentenceSplitter(language), text);
}

TEST_CASE("a full stop before a capital ends a sentence") {
  CHECK(sentences_in("en", "Peter thanked many women. The cow sleeps.") ==
        Sentences{"Peter thanked many women.", "The cow sleeps."});
  CHECK(sentences_in("en", "Who is it?! No one. ... Hello") ==
        Sentences{"Who is it?!", "No one.", "... Hello"});
  CHECK(sentences_in("ru", "Передавайте привет. До свидания!") ==
        Sentences{"Передавайте привет.", "До свидания!"});
  CHECK(sentences_in("el", "πού είναι; Τις Κυριακές δε δούλευε κανένας.") ==
        Sentences{"πού είναι;", "Τις Κυριακές δε δούλευε κανένας."});
}

TEST_CASE("a text without capitals has sentences too") {
  CHECK(sentences_in("en", "the king sleeps. who sleeps? the cow, etc. and so on.") ==
        Sentences{"the king sleeps.", "who sleeps?", "the cow, etc. and so on."});
}

TEST_CASE("abbreviations, initials, numbers and addresses have periods that end nothing") {
  for (const char* text : {"Mr. Smith met Prof. J. R. Miller, e.g. Tuesday.",
                           "See p. 55 and Fig. 3 for $100.00 or 1.000.000 Euro.",
                           "I visited the U.S. Government at 5 p.m. on Jan. 3.",
                           "Write to Jane.Doe@example.com or see www.example.com. now.",
                           "She works at Yahoo! in accounting (or did. Once.) for years."}) {
    CAPTURE(text);
    CHECK(sentences_in("en", text) == Sentences{text});
  }
  CHECK(sentences_in("de", "Am 12. Juni kam Dr. Meyer, z. B. mit Bier usw. Das war gut.") ==
        Sentences{"Am 12. Juni kam Dr. Meyer, z. B. mit Bier usw.", "Das war gut."});
  CHECK(
      sentences_in("en", "I live in the E.U. How about you and I. Did you see Albert I. Jones?") ==
      Sentences{"I live in the E.U.", "How about you and I.", "Did you see Albert I. Jones?"});
}

TEST_CASE("quotes and brackets behind a full stop belong to its sentence") {
  CHECK(sentences_in("en", "He said, \"It is. Good.\" She left. (He too.) 'Why?' Ada asked.") ==
        Sentences{"He said, \"It is. Good.\"", "She left.", "(He too.)", "'Why?'", "Ada asked."});
  CHECK(sentences_in("de", "„Keine Zeit. Und keine Lust.“ Wir gehen.") ==
        Sentences{"„Keine Zeit. Und keine Lust.“", "Wir gehen."});
  CHECK(sentences_in("ru", "«К чему ты? – спросила мама. – Завтра». Да.") ==
        Sentences{"«К чему ты? – спросила мама. – Завтра».", "Да."});
}

TEST_CASE("scripts without spaces have full stops of their own") {
  CHECK(sentences_in("ja", "これはペンです。「はい。」と言った。それ！") ==
        Sentences{"これはペンです。", "「はい。」と言った。", "それ！"});
  CHECK(sentences_in("zh", "看《摔跤吧！爸爸》好吗？好！") ==
        Sentences{"看《摔跤吧！爸爸》好吗？", "好！"});
  CHECK(sentences_in("hi", "सच है। हो सकता है।") == Sentences{"सच है।", "हो सकता है।"});
  CHECK(sentences_in("ur", "کیا حال ہے؟ میرا نام ہے۔ میں") ==
        Sentences{"کیا حال ہے؟", "میرا نام ہے۔", "میں"});
  CHECK(sentences_in("am", "እንደምን አለህ፧መልካም ቀን።") == Sentences{"እንደምን አለህ፧", "መልካም ቀን።"});
}

TEST_CASE("the items of a list in one line are sentences") {
  CHECK(sentences_in("en", "1. The first item 2. The second item") ==
        Sentences{"1. The first item", "2. The second item"});
  CHECK(sentences_in("en", "a) one b) two of c) d") == Sentences{"a) one", "b) two of", "c) d"});
  CHECK(sentences_in("en", "\u2022 one \u2022 two") == Sentences{"\u2022 one", "\u2022 two"});
}

TEST_CASE("a line end ends a sentence, and a no-break space does not") {
  CHECK(sentences_in("en", " One\r\n\r\n\ttwo \n") == Sentences{"One", "two"});
  CHECK(sentences_in("", "Seite 5.\u00A0Mai") == Sentences{"Seite 5.\u00A0Mai"});
  CHECK(sentences_in("", "").empty());
  CHECK(sentences_in("", " \n\u3000\n").empty());
}

TEST_CASE("sentences have no white space at their ends and leave only white space between them") {
  constexpr std::string_view parts[] = {
      "A", "b", ".",      ". ",     "!", "?",  "\n", "\r", " ", "(", ")", "\"", "1",      "\u3002",
      "„", "“", "\u00A0", "\u3000", "…", "Mr", "'",  "\t", "ж", "-", ":", ";",  "\u2022", "z.B"};
  Random random(Stream{.seed = 3});
  const SentenceSplitter splitter("de");
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (uint64_t i = random.below(40); i > 0; --i) text += parts[random.below(std::size(parts))];
    CAPTURE(text);
    Sentences same;
    size_t at = 0;
    for (const TextRange& range : splitter.split(text)) {
      REQUIRE(range.begin >= at);
      REQUIRE(range.end > range.begin);
      same.emplace_back(range.of(text));
      CHECK(splitter.split(text.substr(at, range.begin - at)).empty());
      at = range.end;
    }
    CHECK(splitter.split(text.substr(at)).empty());
    CHECK(with_sentences(text, splitter.split(text), same) == text);
  }
}

TEST_CASE("a long line without a space takes time in proportion to its length") {
  const std::string text = std::string(300'000, '(') + std::string(300'000, '.');
  CHECK(SentenceSplitter("en").split(text) == std::vector<TextRange>{{0, text.size()}});
}

TEST_CASE("abbreviations and words that start sentences are learnt from lines") {
  SentenceLearning learning;
  for (int i = 0; i < 40; ++i) {
    learning.add("Dann kam der Abt. Miller von der Stelle zur Tür.");
    learning.add("Da kam Xaver dann von der Abt. Vier, da war es.");
    learning.add("Von Xaver. Xaver, Mia und Eva kam zur Stelle von Mia. Er war da und der Abt. ging.");
  }
  const LanguageWords words = learning.words();
  CHECK(words.abbreviations == WordSet{"abt"});
  CHECK(words.starters.contains("dann"));
  CHECK(words.starters.contains("da"));
  CHECK(!words.starters.contains("xaver"));
  const std::string text = "Er kam zur Abt. Miller. Dann zur Abt. Dann ging er.";
  CHECK(sentences_of(SentenceSplitter("", words), text) ==
        Sentences{"Er kam zur Abt. Miller.", "Dann zur Abt.", "Dann ging er."});
  CHECK(parse_sentence_words(to_text(words), "file") == words);
  CHECK(message_of([] { parse_sentence_words("starter a\nstart b\n", "words.txt"); }) ==
        "words.txt:2: must be `abbreviation WORD` or `starter WORD`; remove the line, or the file");
}

}  // namespace
}  // namespace calque
