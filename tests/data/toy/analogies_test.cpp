// The lines of toy-analogies, and the questions about their words.
#include "data/toy/analogies.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

using namespace calque;

TEST_CASE("toy-analogies are distinct lines, the same for a seed, and no line is in two splits") {
  const auto train = toy_analogies(Split::train, 20'000, 1);
  const std::set<std::string> lines(train.begin(), train.end());
  CHECK(lines.size() == train.size());
  for (const Split split : {Split::validation, Split::test}) {
    for (const std::string& line : toy_analogies(split, 500, 2)) CHECK(lines.count(line) == 0);
  }
  CHECK(toy_analogies(Split::train, 300, 1) ==
        std::vector<std::string>(train.begin(), train.begin() + 300));
  CHECK(toy_analogies(Split::train, 300, 3) !=
        std::vector<std::string>(train.begin(), train.begin() + 300));
  CHECK(toy_analogies(Split::train, 100'000, 1).size() == 100'000);
}

TEST_CASE("the words of toy-analogies questions occur, but the first two never on one line") {
  std::set<std::string> words;
  const auto questions = toy_analogy_questions();
  CHECK(questions.size() == 2 * 8 * 7);
  for (const std::string& line : toy_analogies(Split::train, 3000, 1)) {
    std::set<std::string> own;
    std::istringstream in(line);
    for (std::string word; in >> word;) own.insert(word);
    words.insert(own.begin(), own.end());
    for (const auto& [a, b, c, d] : questions) {
      CHECK_FALSE((own.count(std::string(a)) > 0 && own.count(std::string(b)) > 0));
    }
  }
  for (const auto& question : questions) {
    for (const std::string_view word : question) CHECK(words.count(std::string(word)) == 1);
  }
}
