// The properties of every toy language: splits, seeds, threads, and one translation per sentence.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "data/toy/shipped_grammar.h"
#include "data/toy/toy.h"
#include "support/message_of.h"
#include "support/sanitized.h"
#include "support/threads.h"

using namespace calque;

namespace {

constexpr int64_t many = sanitized ? 1'000 : 10'000;

std::unordered_set<std::string> sources(const std::vector<SentencePair>& pairs) {
  std::unordered_set<std::string> texts;
  for (const SentencePair& pair : pairs) texts.insert(pair.first);
  return texts;
}

// The words of a text, without punctuation.
std::vector<std::string> words_of(std::string text) {
  std::erase_if(text, [](char c) { return c == '.' || c == ',' || c == '?'; });
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

TEST_CASE("the splits of a toy language share no sentence, whatever the seeds") {
  for (const std::string& name : ToyLanguage::names()) {
    const ToyLanguage language = ToyLanguage::named(name);
    const auto train = sources(language.pairs(Split::train, many, 1));
    for (const Split split : {Split::validation, Split::test, Split::compositional}) {
      for (const SentencePair& pair : language.pairs(split, many / 20, 2)) {
        CHECK_MESSAGE(!train.contains(pair.first), name, ": ", pair.first);
      }
    }
    const auto validation = sources(language.pairs(Split::validation, many / 20, 3));
    for (const SentencePair& pair : language.pairs(Split::test, many / 20, 4)) {
      CHECK_MESSAGE(!validation.contains(pair.first), name, ": ", pair.first);
    }
  }
}

TEST_CASE("a split has no sentence twice") {
  for (const std::string& name : ToyLanguage::names()) {
    const auto pairs = ToyLanguage::named(name).pairs(Split::train, many, 5);
    CHECK(std::ssize(pairs) == many);
    CHECK(sources(pairs).size() == pairs.size());
  }
}

TEST_CASE(
    "the pairs are a function of split, seed and index, not of the number of threads or pairs") {
  const Threads as_before;
  for (const std::string& name : ToyLanguage::names()) {
    const ToyLanguage language = ToyLanguage::named(name);
    set_threads(1);
    const auto alone = language.pairs(Split::train, many / 4, 7);
    set_threads(3);
    CHECK(language.pairs(Split::train, many / 4, 7) == alone);
    const auto fewer = language.pairs(Split::train, many / 20, 7);
    CHECK(std::equal(fewer.begin(), fewer.end(), alone.begin()));
    CHECK(language.pairs(Split::train, many / 20, 8) != fewer);
    CHECK(language.pairs(Split::train, 0, 7).empty());
  }
}

TEST_CASE("a sentence has one translation") {
  for (const std::string name : {"en-de.grammar", "en-fr.grammar"}) {
    const Grammar& grammar = shipped_grammar(name);
    Random random(Stream{.seed = 11});
    Writer write(grammar);
    Derivation tree;
    std::unordered_map<std::string, std::string> translations;
    for (int64_t i = 0; i < 10 * many; ++i) {
      derive(grammar, grammar.start, random, tree);
      const std::string source = write(tree, 0);
      const std::string target = write(tree, 1);
      const auto [found, added] = translations.emplace(source, target);
      if (!added) CHECK_MESSAGE(found->second == target, source, " / ", target);
    }
    CHECK(std::ssize(translations) > 7 * many);
  }
}

// Sentences with the same frame, such as "NP sees NP", differ when their noun phrases do.
TEST_CASE("a toy language has millions of sentences of one frame, and more than 10^20 pairs") {
  for (const std::string name : {"en-de.grammar", "en-fr.grammar"}) {
    const Grammar& grammar = shipped_grammar(name);
    const std::vector<std::string> context =
        name == "en-de.grammar" ? std::vector<std::string>{"acc"} : std::vector<std::string>{};
    const auto persons = all_pairs(grammar, "Plain<Person>", context).size();
    const auto animals = all_pairs(grammar, "Plain<Animal>", context).size();
    CHECK(persons * animals > 5'000'000);  // with one verb in one tense
  }
  CHECK(ToyLanguage::named("toy-en-de").count() > 1e20);
  CHECK(ToyLanguage::named("toy-en-fr").count() > 1e20);
}

TEST_CASE("sentences are ordinary text: a capital, one space between words, a full stop or ?") {
  for (const std::string name : {"toy-en-de", "toy-en-fr"}) {
    for (const auto& [source, target] : ToyLanguage::named(name).pairs(Split::train, many, 1)) {
      for (const std::string& text : {source, target}) {
        CHECK_MESSAGE((text.back() == '.' || text.back() == '?'), text);
        CHECK_MESSAGE(text.find("  ") == std::string::npos, text);
        CHECK_MESSAGE(text.find(" ,") == std::string::npos, text);
        CHECK_MESSAGE(text.find(" .") == std::string::npos, text);
        CHECK_MESSAGE(text.find(",,") == std::string::npos, text);
        CHECK_MESSAGE(text.find_first_of("^+_<>") == std::string::npos, text);
        CHECK_MESSAGE(!(text.front() >= 'a' && text.front() <= 'z'), text);
      }
    }
  }
}

TEST_CASE("training never shows the combinations of the compositional split") {
  const ToyLanguage language = ToyLanguage::named("toy-en-de");
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const auto is_held_out = [&](const std::string& text) {
    return has(text, "lamp because it ") || has(text, "suitcase because it ") ||
           has(text, "hundred apples") || has(text, "thousand apples") ||
           text.ends_with(" the book?");
  };
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    for (const SentencePair& pair :
         language.pairs(split, split == Split::train ? 2 * many : many / 10, 1)) {
      CHECK_MESSAGE(!is_held_out(pair.first), pair.first);
    }
  }
  const auto held_out = language.pairs(Split::compositional, 2'000, 1);
  CHECK(std::count_if(held_out.begin(), held_out.end(),
                      [&](const SentencePair& pair) { return is_held_out(pair.first); }) > 50);
}

TEST_CASE("training shows every form of every word that the compositional split uses" *
          doctest::skip(sanitized)) {
  for (const std::string name : {"toy-en-de", "toy-en-fr"}) {
    const ToyLanguage language = ToyLanguage::named(name);
    std::set<std::string> known;
    for (const auto& [source, target] : language.pairs(Split::train, 60'000, 1)) {
      for (const std::string& word : words_of(fmt::format("{} {}", source, target)))
        known.insert(word);
    }
    for (const auto& [source, target] : language.pairs(Split::compositional, 2'000, 1)) {
      for (const std::string& word : words_of(fmt::format("{} {}", source, target))) {
        // In German each of thousands of long numbers is a word of its own.
        const bool number =
            word.find("hundert") != std::string::npos || word.find("tausend") != std::string::npos;
        if (!number) CHECK_MESSAGE(known.contains(word), word);
      }
    }
  }
}

TEST_CASE("copy copies, reverse reverses, sort sorts") {
  for (const auto& [source, target] : ToyLanguage::named("copy").pairs(Split::test, 500, 1)) {
    CHECK(source == target);
  }
  for (const auto& [source, target] : ToyLanguage::named("reverse").pairs(Split::test, 500, 1)) {
    std::vector<std::string> line = words_of(source);
    std::reverse(line.begin(), line.end());
    CHECK(line == words_of(target));
  }
  for (const auto& [source, target] : ToyLanguage::named("sort").pairs(Split::test, 500, 1)) {
    std::vector<std::string> line = words_of(source);
    std::sort(line.begin(), line.end());
    CHECK(line == words_of(target));
  }
}

TEST_CASE("symbols and lengths are options") {
  const ToyLanguage language =
      ToyLanguage::named("copy", {.symbols = 30, .shortest = 4, .longest = 6});
  CHECK(language.count() == doctest::Approx(30. * 30 * 30 * 30 * (1 + 30 + 900)));
  std::set<std::string> symbols;
  std::set<size_t> lengths;
  for (const SentencePair& pair : language.pairs(Split::train, 3'000, 1)) {
    const auto line = words_of(pair.first);
    lengths.insert(line.size());
    symbols.insert(line.begin(), line.end());
  }
  CHECK(symbols.size() == 30);
  CHECK(symbols.contains("d1"));
  CHECK(lengths == std::set<size_t>{4, 5, 6});
  CHECK(message_of([] { ToyLanguage::named("sort", {.symbols = 0}); }) ==
        "sort: symbols is 0, but must be from 1 to 1000000");
  CHECK(message_of([] { ToyLanguage::named("copy", {.shortest = 5, .longest = 4}); }) ==
        "copy: lengths from 5 to 4, but 1 <= shortest <= longest <= 10000 is needed");
}

TEST_CASE("the error about too many pairs names the number of existing sentences") {
  const ToyLanguage tiny = ToyLanguage::named("copy", {.symbols = 2, .shortest = 1, .longest = 6});
  const std::string message = message_of([&] { tiny.pairs(Split::train, 126, 1); });
  CHECK(message.starts_with("copy: found only "));
  CHECK(message.ends_with(" distinct sentences for train: ask for fewer than 126"));
  CHECK(message_of([&] { tiny.pairs(Split::train, 1'000'000'000, 1); }) ==
        "copy: has 126 sentences in all splits together: ask for fewer than 1000000000");
}

TEST_CASE("the error about an unknown toy language or split lists the known ones") {
  CHECK(message_of([] { ToyLanguage::named("toy-en-nl"); }) ==
        "no toy language 'toy-en-nl': there are copy, reverse, sort, toy-en-de, toy-en-fr, "
        "listops");
  CHECK(message_of([] { split_named("dev"); }) ==
        "no split 'dev': there are train, validation, test, compositional");
  CHECK(split_named("compositional") == Split::compositional);
}

TEST_CASE("a toy language names its two languages") {
  CHECK(ToyLanguage::named("toy-en-fr").source_language() == "en");
  CHECK(ToyLanguage::named("toy-en-fr").target_language() == "fr");
  CHECK(ToyLanguage::named("reverse").target_language() == "tgt");
}
