// Rules by which pairs are dropped: what each finds, and what it must not find.
#include "data/cleaning/clean.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/threads/parallel.h"
#include "data/cleaning/facts.h"
#include "data/cleaning/likeness.h"
#include "data/cleaning/repair.h"
#include "data/corpora/small_corpus.h"

using namespace calque;

namespace {

struct Cleaned {
  CleanReport report;
  std::vector<Row> pairs;
};

Cleaned clean(const std::vector<Row>& pairs, const CleanOptions& options = {}) {
  Cleaned cleaned;
  cleaned.report =
      clean_corpus(Corpus({.place = in_memory("toy", pairs)}), options,
                   [&](std::string_view source, std::string_view target) {
                     cleaned.pairs.push_back({std::string(source), std::string(target)});
                   });
  return cleaned;
}

// 300 different pairs, to which `bad` is appended.
std::vector<Row> with(const std::vector<Row>& bad) {
  std::vector<Row> pairs = small_pairs(500, 1, 40);
  std::erase_if(pairs, [](const Row& pair) { return pair[0].size() < 10; });
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  pairs.resize(300);
  pairs.insert(pairs.end(), bad.begin(), bad.end());
  return pairs;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

RuleSet only(Rule rule) { return RuleSet().set(static_cast<size_t>(rule)); }

}  // namespace

TEST_CASE("each rule drops the pair that breaks it, and no other pair") {
  REQUIRE(clean(with({})).report.kept == 300);
  const std::string nul("a\0b", 3), ten(10, 'a'),
      cyrillic = "\u043a\u043e\u0442 \u0438 \u043f\u0451\u0441";
  const std::pair<Rule, Row> cases[] = {
      {Rule::invalid, {"the dog\xFF", "der Hund"}},
      {Rule::nul, {"the dog", nul}},
      {Rule::empty, {"the dog", " \t"}},
      {Rule::length, {std::string(1001, 'a'), std::string(1001, 'b')}},
      {Rule::copy, {"Berlin Tegel", "Berlin Tegel"}},
      {Rule::source_script, {cyrillic, "der Hund"}},
      {Rule::target_script, {"the dog", cyrillic}},
      {Rule::swapped, {"Die alte Haus sieht Hund", "The old house sees dog"}},
      {Rule::language, {"The old house sees dog", "The old house sees"}},
      {Rule::ratio, {"The old house", ten + ten + ten + ten + ten + ten + ten + ten}},
      {Rule::markup, {"<b>The</b> dog", "Die Hund"}},
      {Rule::mojibake, {"The dog \ufffd", "Die Hund"}},
      {Rule::numbers, {"The house 1914", "Die Haus 1918"}},
      {Rule::urls, {"The house www.a.org", "Die Haus www.b.org"}},
      {Rule::repeated, with({})[7]},
      {Rule::nearly_repeated, {upper(with({})[7][0]) + " !", with({})[7][1]}},
  };
  for (const auto& [rule, pair] : cases) {
    CAPTURE(text_of(rule).name);
    const Cleaned cleaned = clean(with({pair}));
    CHECK(cleaned.report.kept == 300);
    CHECK(cleaned.pairs.size() == 300);
    CHECK(cleaned.report.by(rule).seen.count == 1);
    CHECK(cleaned.report.by(rule).seen.first == std::vector<std::string>{"toy:301"});
    if (rule < first_optional) continue;
    CHECK(cleaned.report.by(rule).examples.size() == 1);
    CHECK(clean(with({pair}), {.rules = {.off = only(rule)}}).report.by(rule).seen.count == 0);
  }
}

TEST_CASE("a line in another language than its side is dropped, unless both sides are unusual") {
  std::vector<Row> pairs = small_pairs(3000, 1, 40);
  const auto dropped = [&](const Row& bad, Rule rule) {
    std::vector<Row> all = pairs;
    all.push_back(bad);
    RuleOptions rules{.off = ~RuleSet()};
    rules.off.reset(static_cast<size_t>(rule));
    return clean(all, {.rules = rules}).report.by(rule).seen.count;
  };
  const std::string basque = "gizon zaharrak kalea ikusten du egunero";
  CHECK(dropped({"the old dog sees the house", basque}, Rule::target_language) == 1);
  CHECK(dropped({"the old dog sees the house", basque}, Rule::source_language) == 0);
  CHECK(dropped({basque, "die alte Haus sieht"}, Rule::source_language) == 1);
  CHECK(dropped({basque, basque}, Rule::target_language) == 0);
  pairs.resize(500);
  CHECK(dropped({"the old dog sees the house", basque}, Rule::target_language) == 0);
}

TEST_CASE("a pair that breaks several rules counts for the first of them") {
  const CleanReport report = clean(with({{"<b>1914</b>", "<b>1918</b>"}})).report;
  CHECK(report.by(Rule::markup).seen.count == 1);
  CHECK(report.by(Rule::numbers).seen.count == 0);
  CHECK(report.by(Rule::markup).examples[0].target == "<b>1918</b>");
}

TEST_CASE("what depends on the whole corpus is not judged with fewer than 50 pairs") {
  const Cleaned cleaned = clean({{"The old house", "Ja"}, {"kot", "\u043a\u043e\u0442"}});
  CHECK(cleaned.report.kept == 2);
}

TEST_CASE("the threshold of the lengths is in standard deviations") {
  const std::vector<Row> pairs =
      with({{"The old house sees", "Die alte Haus sieht, doch schnell und"}});
  CHECK(clean(pairs).report.by(Rule::ratio).seen.count == 0);
  CHECK(clean(pairs, {.rules = {.max_deviation = 2}}).report.by(Rule::ratio).seen.count >= 1);
}

TEST_CASE("mojibake is repaired where that is exact, and then the pair is judged") {
  const Row broken = {"The dog through street", "Die Hund durch Stra\u00c3\u0178e"};
  const Cleaned cleaned = clean(with({broken}));
  CHECK(cleaned.report.repaired == 1);
  CHECK(cleaned.pairs.back()[1] == "Die Hund durch Stra\u00dfe");
  CHECK(clean(with({broken}), {.repair = false}).report.by(Rule::mojibake).seen.count == 1);
}

TEST_CASE("mojibake of Latin-1, of Windows-1252 and of several times is undone") {
  CHECK(repair_mojibake("f\u00c3\u00bcr") == "f\u00fcr");
  CHECK(repair_mojibake("it\u00e2\u20ac\u2122s") == "it\u2019s");
  CHECK(repair_mojibake("f\u00c3\u0192\u00c2\u00bcr") == "f\u00fcr");
  CHECK(repair_mojibake("\u00fc and \u00c3\u00a4\u00c3\u00b6") == "\u00fc and \u00e4\u00f6");
  CHECK(repair_mojibake("20 \u00c2\u00b0C") == "20 \u00b0C");
  CHECK_FALSE(repair_mojibake("f\u00fcr").has_value());
  CHECK_FALSE(repair_mojibake("\u00c3\u00a4 \ufffd").has_value());
}

TEST_CASE("numbers are compared without separators, and small ones not at all") {
  CHECK(numbers_differ("in 1914", "im Jahr 1918"));
  CHECK(numbers_differ("20 or 30 dogs and 40 cats", "20 Hunde"));
  CHECK_FALSE(numbers_differ("1,234.50 dogs", "1.234,50 Hunde"));
  CHECK_FALSE(numbers_differ("10 000 dogs", "10000 Hunde"));
  CHECK_FALSE(numbers_differ("at 3 pm", "um 11 Uhr"));
  CHECK_FALSE(numbers_differ("25 dogs", "f\u00fcnfundzwanzig Hunde"));
  CHECK_FALSE(numbers_differ("25 dogs", "\u0968\u096b \u0915\u0941\u0924\u094d\u0924\u0947"));
  CHECK(numbers_differ("25 dogs", "\u0968\u096a \u0915\u0941\u0924\u094d\u0924\u0947"));
  CHECK_FALSE(numbers_differ("", ""));
}

TEST_CASE("URLs are compared without the punctuation that follows") {
  CHECK_FALSE(urls_differ("See https://a.org/b.", "Siehe https://a.org/b (hier)"));
  CHECK(urls_differ("See https://a.org/b.", "Siehe dort"));
  CHECK_FALSE(urls_differ("http", "www"));
}

TEST_CASE("a cleaned corpus does not depend on the number of threads") {
  std::vector<Row> pairs = small_pairs(3000, 3);
  for (size_t i = 0; i < pairs.size(); i += 10) std::swap(pairs[i][0], pairs[i][1]);
  const int before = threads();
  set_threads(1);
  const Cleaned one = clean(pairs);
  set_threads(4);
  const Cleaned four = clean(pairs);
  set_threads(before);
  CHECK(one.pairs == four.pairs);
  CHECK(one.report.by(Rule::swapped).seen.first == four.report.by(Rule::swapped).seen.first);
  CHECK(one.report.by(Rule::swapped).seen.count > 100);
  CHECK(one.report.by(Rule::repeated).seen.count > 0);
}

TEST_CASE("pairs whose words do not translate each other are dropped, if enough pairs show that") {
  // Sentences of ten out of 200 words; the translation of word n is "w n".
  Random random({.seed = 1});
  std::vector<Row> pairs(3000, Row(2));
  const auto name = [](char first, uint64_t word) {
    return std::string{first, char('a' + word / 20), char('a' + word % 20), ' '};
  };
  for (Row& pair : pairs) {
    for (int i = 0; i < 10; ++i) {
      const uint64_t word = random.below(200);
      pair[0] += name('v', word);
      pair[1] += name('w', word);
    }
  }
  CHECK(clean(pairs).report.kept == 3000);
  const std::string first = pairs[100][1];
  for (size_t i = 100; i < 110; ++i) pairs[i][1] = i == 109 ? first : pairs[i + 1][1];
  const CleanReport report = clean(pairs).report;
  CHECK(report.by(Rule::translation).seen.count == 10);
  CHECK(report.by(Rule::translation).seen.first[0] == "toy:101");
  CHECK(report.kept == 2990);
  pairs.resize(900);
  CHECK(clean(pairs).report.kept == 900);
}

TEST_CASE("pairs are alike without case, digits, punctuation and white space") {
  const auto alike = [](const Row& a, const Row& b) {
    return likeness(a[0], a[1]).value() == likeness(b[0], b[1]).value();
  };
  const Row room = {"Open room 5!", "\u00d6ffne Raum 5!"};
  CHECK(alike(room, {"open  ROOM 17", "\u00f6ffne\tRaum"}));
  CHECK_FALSE(alike(room, {"open rooms", "\u00f6ffne Raum"}));
  CHECK_FALSE(alike(room, {"openroom", "\u00f6ffne Raum"}));
  CHECK_FALSE(alike(room, {"open room", "offne Raum"}));
  CHECK_FALSE(alike({"a", "b c"}, {"a b", "c"}));
  CHECK(likeness("17 %", "Raum") == std::nullopt);
  // Vowel signs tell the words of Kannada apart.
  CHECK_FALSE(alike({"\u0c95\u0cbe", "a"}, {"\u0c95\u0cbf", "a"}));
}

TEST_CASE("pairs that cost the models much more than usual are dropped") {
  const std::vector<Row> pairs = with({{"The good pair of words", "Das seltsame Paar"}});
  CleanOptions options;
  size_t judged = 0;
  options.costs = [&](std::span<const std::string> sources, std::span<const std::string> targets) {
    std::vector<double> costs(sources.size(), 2);
    for (size_t i = 0; i < costs.size(); ++i) {
      if (targets[i] == "Das seltsame Paar") costs[i] = 4.1;
    }
    judged += costs.size();
    return costs;
  };
  const Cleaned cleaned = clean(pairs, options);
  CHECK(judged > 301);
  CHECK(cleaned.report.usual_cost == 2);
  CHECK(cleaned.report.by(Rule::models).seen.count == 1);
  CHECK(cleaned.report.by(Rule::models).seen.first == std::vector<std::string>{"toy:301"});
  CHECK(cleaned.report.kept == 300);
  options.rules.max_cost = 2.1;
  CHECK(clean(pairs, options).report.kept == 301);
  options.rules = {.off = only(Rule::models)};
  CHECK(clean(pairs, options).report.kept == 301);
}

TEST_CASE("shifted pairs are reported, and not dropped for that") {
  std::vector<Row> pairs = small_pairs(2000, 1, 40);
  for (size_t i = 1000; i < 1100; ++i) pairs[i][1] = pairs[i + 1][1];
  CHECK(clean(pairs).report.shifted.count >= 80);
}
