// listops: the value and the length of an expression, and the operations held out of training.
#include "data/toy/listops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "core/error.h"
#include "support/message_of.h"

using namespace calque;

namespace {

// The value of an expression, computed with a stack of open lists, and its number of symbols.
struct Evaluation {
  std::string value;
  int64_t symbols = 0;
};

int evaluate(const std::string& operation, std::vector<int> list) {
  std::ranges::sort(list);
  if (operation == "[MIN") return list.front();
  if (operation == "[MAX") return list.back();
  if (operation == "[SM") return std::accumulate(list.begin(), list.end(), 0) % 10;
  REQUIRE(operation == "[MED");
  const size_t n = list.size();
  return (list[(n - 1) / 2] + list[n / 2]) / 2;
}

Evaluation read(const std::string& text) {
  Evaluation result;
  std::vector<std::pair<std::string, std::vector<int>>> open{{"", {}}};
  std::istringstream words(text);
  for (std::string word; words >> word; ++result.symbols) {
    if (word[0] == '[') {
      open.push_back({word, {}});
    } else if (word == "]") {
      const int value = evaluate(open.back().first, open.back().second);
      open.pop_back();
      REQUIRE(!open.empty());
      open.back().second.push_back(value);
    } else {
      open.back().second.push_back(std::stoi(word));
    }
  }
  REQUIRE(open.size() == 1);
  REQUIRE(open.back().second.size() == 1);
  result.value = std::to_string(open.back().second.front());
  return result;
}

// The outermost operation and the number of its arguments.
std::string outermost(const std::string& text) {
  std::istringstream words(text);
  std::string operation;
  words >> operation;
  int depth = 0, arguments = 0;
  for (std::string word; words >> word;) {
    if (word == "]") {
      --depth;
      continue;
    }
    if (depth == 0) ++arguments;
    if (word[0] == '[') ++depth;
  }
  return operation + " " + std::to_string(arguments);
}

}  // namespace

TEST_CASE("an expression of listops has the right value and a length in the range") {
  CHECK(read("[MAX 4 [MIN 2 3 ] 0 ]").value == "4");
  std::map<std::string, int> values;
  for (const auto& [text, value] :
       listops({.shortest = 20, .longest = 120}).pairs(Split::train, 2000, 1)) {
    const Evaluation own = read(text);
    CHECK(own.value == value);
    CHECK(own.symbols >= 20);
    CHECK(own.symbols <= 120);
    ++values[value];
  }
  CHECK(values.size() == 10);
  for (const auto& [value, count] : values) CHECK(count > 50);
}

TEST_CASE("training never shows the outermost operations of the compositional split") {
  const ToyLanguage language = listops({.longest = 60});
  std::set<std::string> shown;
  for (const auto& [text, value] : language.pairs(Split::train, 5000, 1)) {
    shown.insert(outermost(text));
  }
  CHECK(shown.size() == 33);  // 4 operations x 2 to 10 arguments, less 3 held out
  std::set<std::string> held_out;
  for (const auto& [text, value] : language.pairs(Split::compositional, 300, 1)) {
    CHECK(!shown.contains(outermost(text)));
    held_out.insert(outermost(text));
  }
  CHECK(held_out.size() == 3);
}

TEST_CASE("listops refuses lengths that no expression has") {
  CHECK(message_of([] { listops({.longest = 3}); }).find("4 <= longest <= 2000") !=
        std::string::npos);
  CHECK(message_of([] { listops({.longest = 2001}); }).find("4 <= longest <= 2000") !=
        std::string::npos);
  CHECK(message_of([] { listops({.shortest = 9, .longest = 8}); }).find("from 9 to 8") !=
        std::string::npos);
}
