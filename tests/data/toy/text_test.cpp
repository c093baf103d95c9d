// toy-text: disjoint splits, and a last line that the first sentence decides.

#include "data/toy/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "support/sanitized.h"
#include "support/threads.h"

using namespace calque;

namespace {

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

}  // namespace

TEST_CASE("the last line of a toy text follows from its first sentence") {
  for (const std::string& text : toy_text(Split::train, 2000, 1)) {
    const std::string name = text.substr(0, text.find(' '));
    const std::string trade = between(text, " is a ", " from "),
                      town = between(text, " from ", ".");
    CHECK(text.ends_with("\nSo says " + name + ", the " + trade + " from " + town + "."));
    CHECK(std::ranges::count(text, '\n') == 1);
    CHECK(text.find("  ") == std::string::npos);
  }
}

TEST_CASE("the splits of toy-text share no document and have none twice") {
  const int64_t count = sanitized ? 2'000 : 20'000;
  const auto train = toy_text(Split::train, count, 1);
  const std::set<std::string> seen(train.begin(), train.end());
  CHECK(std::ssize(seen) == count);
  std::set<std::string> others;
  for (const Split split : {Split::validation, Split::test, Split::compositional}) {
    for (const std::string& text : toy_text(split, 300, 2)) {
      CHECK_FALSE(seen.contains(text));
      CHECK(others.insert(text).second);
    }
  }
}

TEST_CASE("training lacks 12 combinations of trade and town, but shows each trade and each town" *
          doctest::skip(sanitized)) {
  const auto combination = [](const std::string& text) {
    return between(text, " is a ", ".");  // "baker from Lyon"
  };
  std::set<std::string> combinations, words;
  for (const std::string& text : toy_text(Split::train, 20'000, 1)) {
    combinations.insert(combination(text));
    words.insert(between(text, " is a ", " from "));
    words.insert(between(text, " from ", "."));
  }
  CHECK(combinations.size() == 132);  // 12 of 12 x 12 are held out
  int unseen = 0;
  for (const std::string& text : toy_text(Split::compositional, 500, 1)) {
    unseen += combinations.contains(combination(text)) ? 0 : 1;
    CHECK(words.contains(between(text, " is a ", " from ")));
    CHECK(words.contains(between(text, " from ", ".")));
  }
  CHECK(unseen > 100);  // the others have a sentence that toy-en-de holds out of training
}

TEST_CASE(
    "toy-text is a function of split, seed and index, not of the number of threads or texts") {
  const Threads as_before;
  set_threads(1);
  const auto alone = toy_text(Split::train, 3000, 7);
  set_threads(3);
  CHECK(toy_text(Split::train, 3000, 7) == alone);
  const auto fewer = toy_text(Split::train, 500, 7);
  CHECK(std::equal(fewer.begin(), fewer.end(), alone.begin()));
  CHECK(toy_text(Split::train, 500, 8) != fewer);
}
