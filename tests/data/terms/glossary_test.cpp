// Glossaries, their terms in texts, and the marks of terms.
#include "data/terms/glossary.h"

#include <doctest/doctest.h>

#include "data/temporary_folder.h"
#include "data/terms/learned_terms.h"
#include "data/terms/term_marks.h"
#include "data/text/words.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::vector<std::string> words_of(std::string_view text, bool signs = false) {
  std::vector<std::string> words;
  for (const TextRange& range : word_ranges(text, signs)) words.emplace_back(range.of(text));
  return words;
}

// "source: first target" of each term in a text.
std::vector<std::string> terms_in(const Glossary& glossary, std::string_view text) {
  std::vector<std::string> found;
  for (const FoundTerm& each : glossary.find(text)) {
    found.push_back(std::string(each.range.of(text)) + ": " + each.term->targets.front());
  }
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("words are letters and digits in a row, and Chinese characters alone") {
  CHECK(words_of("Ein Häuschen, 3x-mal!") == Texts{"Ein", "Häuschen", "3x", "mal"});
  CHECK(words_of("C++ 汉字 ok", true) == Texts{"C", "+", "+", "汉", "字", "ok"});
  CHECK(words_of("").empty());
  CHECK(words_of(" \t", true).empty());
}

TEST_CASE("a form of a word begins like it and ends otherwise") {
  CHECK(is_form_of("Häuser", "haus"));
  CHECK(is_form_of("rotes", "rot"));
  CHECK(is_form_of("spielt", "spielen"));
  CHECK(is_form_of("Ei", "ei"));
  CHECK_FALSE(is_form_of("Eis", "Ei"));
  CHECK_FALSE(is_form_of("Rotwein", "rot"));
  CHECK_FALSE(is_form_of("Katze", "Kuh"));
  CHECK_FALSE(is_form_of("Student", "Stu"));
}

TEST_CASE("terms are found as whole words, the longest first, whatever their case") {
  const Glossary glossary(std::vector<Term>{
      {"cow", {"Kuh"}}, {"holy cow", {"heilige Kuh"}}, {"C++", {"C++"}}, {"Cow", {"Rind", "Kuh"}}});
  CHECK(glossary.terms().size() == 3);
  CHECK(terms_in(glossary, "A COW, a holy cow and cows") ==
        Texts{"COW: Kuh", "holy cow: heilige Kuh"});
  CHECK(terms_in(glossary, "C and C++.") == Texts{"C++: C++"});
  CHECK(terms_in(glossary, "").empty());
  CHECK(glossary.terms()[0].targets == Texts{"Kuh", "Rind"});
  CHECK(glossary.hash() != Glossary(std::vector<Term>{{"cow", {"Kuh"}}}).hash());
}

TEST_CASE("a translation has a term exactly, in another form, or not") {
  const Term term{"hat", {"roter Hut", "Mütze"}};
  const auto match = [&](const char* text) { return match_term(TermText(text), term); };
  CHECK(match("Ein roter Hut.") == TermMatch::exact);
  CHECK(match("mit roten Hüten") == TermMatch::form);
  CHECK(match("die Mütze") == TermMatch::form);
  CHECK(match("ein Hut, roter als") == TermMatch::none);
  CHECK(match("") == TermMatch::none);
}

TEST_CASE("a glossary is read from columns, and a line that is no term is an error") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("terms.tsv", "cow\tKuh\tKühe\t\t\r\n\n big house \tgroßes Haus\n");
  const Glossary glossary = read_glossary(path);
  REQUIRE(glossary.terms().size() == 2);
  CHECK(glossary.terms()[0].targets == Texts{"Kuh", "Kühe"});
  CHECK(glossary.terms()[1].source == "big house");
  const auto problem = [&](const std::string& text) {
    const std::string file = folder.write("bad.tsv", text);
    const std::string message = message_of([&] { read_glossary(file); });
    return message.starts_with(file) ? message.substr(file.size()) : message;
  };
  CHECK(problem("a\tb\nKuh\n") == ":2: has no tab; write the term, a tab and its translation");
  CHECK(problem("\tKuh\n") == ":1: column 1 is empty; write a term");
  CHECK(problem("cow\t \n") == ":1: column 2 is empty; write a term");
  CHECK(problem("cow\tKuh\t\tRind\n") == ":1: column 3 is empty; write a term");
  CHECK(problem("cow\tK\x1buh\n") == ":1: column 2 has a control character (U+001B)");
  CHECK(problem("a\tb\ncow\tK\xfch\n") == ":2: not valid UTF-8 (byte 6)");
  CHECK(problem(std::string("a\tb\0\n", 5)) == ":1: a NUL (byte 4)");
  CHECK(problem("cow\t<as>\n") == ":1: column 2 has <as>, which marks terms");
  CHECK(problem("cow\t" + std::string(401, 'x') + "\n") ==
        ":1: column 2 has 401 bytes; a term has at most 400");
  CHECK(problem("\n\n") == ": has no terms; write a term, a tab and its translation");
  CHECK(problem("　\tx\n") == ":1: column 1 is white space; write a term");
}

TEST_CASE("terms are marked where they are, with their translations") {
  const std::string text = "the cow eats";
  CHECK(with_term_marks(text, {}) == text);
  const TermMark marks[] = {{{4, 7}, "Kuh"}, {{8, 12}, "fressen"}};
  CHECK(with_term_marks(text, marks) ==
        "the <term> cow <as> Kuh </term> <term> eats <as> fressen </term>");
  CHECK(without_term_marks(with_term_marks(text, marks)) == text);
  for (const char* other : {"", "a <term> b", "<as> x </term>", "<term> x </term> <as>"}) {
    CHECK(without_term_marks(other) == other);
  }
}

// "the noun3 verb5": each noun has a translation that is inflected in a quarter of the pairs.
LearnedTerms::Pairs small_corpus() {
  LearnedTerms::Pairs pairs;
  const auto letters = [](int i) { return std::string{char('a' + i % 7), char('p' + i / 7)}; };
  for (int i = 0; i < 1600; ++i) {
    const std::string noun = letters(i % 40), verb = letters(i * 7 % 41);
    pairs.emplace_back("the n" + noun + " v" + verb,
                       "die Tu" + noun + (i / 40 % 4 == 3 ? "en" : "e") + " ge" + verb + "t");
  }
  return pairs;
}

TEST_CASE("learned terms are words that translate each other, in their most frequent form") {
  const LearnedTerms::Pairs pairs = small_corpus();
  const LearnedTerms terms(pairs);
  int marked = 0, joined = 0, inflected = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    const auto& [source, target] = pairs[i];
    Random random(Stream{1, i});
    const std::vector<TermMark> marks = terms.draw(source, target, random);
    REQUIRE(marks.size() >= 1);
    for (const TermMark& mark : marks) {
      const std::string word(mark.range.of(source));
      CAPTURE(word);
      CHECK(word != "the");  // a frequent word
      ++marked;
      if (word.find(' ') != word.npos) {
        ++joined;
        CHECK("die " + mark.target == target);
      } else if (word[0] == 'n') {
        CHECK(mark.target == "Tu" + word.substr(1) + "e");
        inflected += target.find(mark.target + " ") == target.npos ? 1 : 0;
      }
    }
  }
  CHECK(marked > 200);
  CHECK(joined > 10);
  CHECK(inflected > 10);
  Random random(Stream{1});
  CHECK(terms.draw("unknown words", "unbekannte Wörter", random).empty());
}

}  // namespace calque
