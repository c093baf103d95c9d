// The tokenizations rule by rule, and the classes of characters.
#include "train/metrics/tokenization/tokenization.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "train/metrics/tokenization/characters.h"
#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"
#include "train/metrics/translation/ter.h"

using namespace calque;

namespace {

std::string joined(const std::string& text) {
  std::vector<std::string_view> words;
  split_words(text, words);
  std::string line;
  for (const std::string_view word : words) {
    line += line.empty() ? "" : " ";
    line += word;
  }
  return line;
}

std::string v13a(std::string_view line) { return joined(tokenize(line, Tokenization::v13a)); }
std::string intl(std::string_view line) { return joined(tokenize(line, Tokenization::intl)); }
std::string tercom(std::string_view line, const TercomOptions& options) {
  return joined(tercom_tokenize(line, options));
}

}  // namespace

TEST_CASE("13a separates ASCII punctuation except apostrophes and hyphens") {
  CHECK(v13a("Well-known (so-called) \"facts\" aren't!") ==
        "Well-known ( so-called ) \" facts \" aren't !");
  CHECK(v13a("a/b=c; d:e?") == "a / b = c ; d : e ?");
  CHECK(v13a("“so” – ‚ja‘ …") == "“so” – ‚ja‘ …");
}

TEST_CASE(
    "13a keeps points and commas inside numbers, and separates a dash from a number before it") {
  CHECK(v13a("1,000.50 is 1,000.50.") == "1,000.50 is 1,000.50 .");
  CHECK(v13a("in 1950-51, U.S.A.") == "in 1950 - 51 , U . S . A .");
  CHECK(v13a("a.b..c") == "a . b . . c");
  CHECK(v13a(".5 5. ,, -7") == ". 5 5 . , , -7");
}

TEST_CASE("13a resolves entities one after the other and drops <skipped>") {
  CHECK(v13a("A &amp; B &lt;x&gt; &quot;y&quot;") == "A & B < x > \" y \"");
  CHECK(v13a("&amp;lt; &amp;amp;") == "< & amp ;");
  CHECK(v13a("<skipped> text<skipped>") == "text");
  CHECK(v13a("two-\nlines\nhere") == "twolines here");
}

TEST_CASE("intl separates Unicode's symbols, and punctuation except between digits") {
  CHECK(intl("«Да», “so” – ja…") == "« Да » , “ so ” – ja …");
  CHECK(intl("5€+3£=8") == "5 € + 3 £ = 8");
  CHECK(intl("人口、１，０００人。") == "人口 、 １，０００人 。");
  CHECK(intl("well-known isn't") == "well - known isn ' t");
  // As in the original script, a full stop after a number at the end of the line is not separated.
  CHECK(intl("1,000.5 in 1999.") == "1,000.5 in 1999.");
  CHECK(intl("&amp;") == "& amp ;");
}

TEST_CASE("char makes every character a token, and none leaves the line unchanged") {
  CHECK(joined(tokenize("ab ü 你好", Tokenization::character)) == "a b ü 你 好");
  CHECK(tokenize(" a  b. ", Tokenization::none) == " a  b. ");
}

TEST_CASE(
    "Tercom converts to lower case, and tokenizes and removes punctuation only if requested") {
  CHECK(tercom("A B C D.", {}) == "a b c d.");
  CHECK(tercom("A B C D.", {.case_sensitive = true}) == "A B C D.");
  CHECK(tercom("A ; B ) C : D.", {.no_punctuation = true}) == "a b c d");
  CHECK(tercom("a b (c) d.", {.normalized = true}) == "a b ( c ) d .");
  CHECK(tercom("Jim's car. 4.2 &quot;x&quot;", {.normalized = true}) == "jim 's car . 4.2 \" x \"");
  CHECK(tercom("", {.normalized = true}).empty());
}

TEST_CASE("Tercom splits ideographs, and separates or removes Asian punctuation") {
  const TercomOptions split{.normalized = true, .asian_support = true};
  CHECK(tercom("美众院公布对特", split) == "美 众 院 公 布 对 特");
  CHECK(tercom("りの拳銃を持", split) == "りの 拳 銃 を 持");
  CHECK(tercom("カタカナ、ひらがな。", split) == "カタカナ 、 ひらがな 。");
  CHECK(tercom("好，吗？（是）", {.no_punctuation = true, .asian_support = true}) == "好吗是");
  CHECK(tercom("好，吗？", {.no_punctuation = true}) == "好，吗？");
}

TEST_CASE("white space is defined by Unicode") {
  CHECK(joined("a\u00A0b\u2009c\u3000d\u2028e\u0085f\u001Cg\th") == "a b c d e f g h");
  CHECK(joined("a\u200Bb\uFEFFc") == "a\u200Bb\uFEFFc");
  CHECK(without_trailing_space("ä \u3000\t\u2029") == "ä");
  CHECK(without_trailing_space(" \n").empty());
  CHECK(without_spaces("\u00A0a \u3000b") == "ab");
}

TEST_CASE("lower case follows Unicode's full mappings") {
  CHECK(full_lowercase("ÀÉÎÕÜ ŁÓDŹ ЖЯ ԱՖ") == "àéîõü łódź жя աֆ");
  CHECK(full_lowercase("GROẞ STRASSE") == "groß strasse");
  CHECK(full_lowercase("İI") == "i\u0307i");
  CHECK(full_lowercase("ǅ Ⅷ Ａ 𐐀") == "ǆ ⅷ ａ 𐐨");
}

TEST_CASE(
    "a sigma at the end of a word becomes final; full stops, accents and soft hyphens do not end a "
    "word") {
  CHECK(full_lowercase("ΟΔΟΣ ΣΑΣ Σ") == "οδος σας σ");
  CHECK(full_lowercase("ΑΣ.Α ΑΣ\u0301 ΑΣ,Β") == "ασ.α ας\u0301 ας,β");
  CHECK(full_lowercase("ΑΣ\u00AD") == "ας\u00AD");
  CHECK(full_lowercase("Αʰ.Σ ʰΣ ΣΣ İΣ") == "αʰ.ς ʰσ σς i\u0307ς");
}

TEST_CASE("bytes that are no characters become replacement characters, one each") {
  CHECK(well_formed("a\xFF"
                    "b") == "a\uFFFDb");
  CHECK(well_formed("\xE2\x82") == "\uFFFD\uFFFD");
  CHECK(well_formed("grün €") == "grün €");
}

TEST_CASE(
    "any bytes can be scored; against themselves BLEU and chrF are 100, or 0 if blank, and TER is "
    "0") {
  Random random({.seed = 4});
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    const uint64_t length = random.below(60);
    while (bytes.size() < length) bytes += static_cast<char>(random.below(256));
    const std::vector<std::string> line = {bytes};
    const std::vector<std::vector<std::string>> reference = {line};
    const bool blank = joined(well_formed(bytes)).empty();
    for (const char* name : {"none", "13a", "intl", "char"}) {
      const BleuOptions options{
          .tokenization = parse_tokenization(name), .lowercase = true, .effective_order = true};
      const BleuScore score = bleu(line, reference, options);
      CHECK(score.score == doctest::Approx(blank ? 0 : 100));
    }
    CHECK(chrf(line, reference, {.word_order = 2}).score == doctest::Approx(blank ? 0 : 100));
    CHECK(ter(line, reference, {true, true, true, false}).score == 0);
  }
}
