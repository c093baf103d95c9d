#include "data/toy/shipped_grammar.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <tuple>

#include "support/folders.h"

namespace calque {
namespace {

// The number of trees below one alternative.
double ways(const Grammar& grammar, const Category& category, size_t choice) {
  if (!category.words.empty()) return 1;
  double product = 1;
  for (const int32_t child : category.rules[choice].children) {
    product *= grammar.categories[child].count;
  }
  return product;
}

}  // namespace

// The index is a number in mixed radix: it gives each node its alternative and the indices of its
// children, and the rest goes to the siblings on its right.
Derivation nth_derivation(const Grammar& grammar, int32_t category, uint64_t index) {
  REQUIRE(static_cast<double>(index) < grammar.categories[category].count);
  Derivation tree;
  const auto choose = [&](const Category& from) {
    const auto here = static_cast<uint64_t>(from.count);
    uint64_t below = index % here;
    const uint64_t rest = index / here;
    size_t choice = 0;
    for (; choice + 1 < from.bounds.size(); ++choice) {
      const auto size = static_cast<uint64_t>(ways(grammar, from, choice));
      if (below < size) break;
      below -= size;
    }
    index = below + rest * static_cast<uint64_t>(ways(grammar, from, choice));
    return choice;
  };
  derive(grammar, category, choose, tree);
  return tree;
}

std::string grammar_text(const std::string& name) {
  std::ifstream file(CALQUE_SOURCE_DIR "/data/toy/" + name);
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const Grammar& shipped_grammar(const std::string& name) {
  static std::map<std::string, Grammar> grammars;
  const auto found = grammars.find(name);
  if (found != grammars.end()) return found->second;
  return grammars.emplace(name, parse_grammar(grammar_text(name), name)).first->second;
}

Features features_named(const Grammar& grammar, const std::vector<std::string>& values) {
  Features features{};
  for (const std::string& value : values) {
    bool known = false;
    for (size_t i = 0; i < grammar.features.size(); ++i) {
      for (size_t v = 0; v < grammar.features[i].values.size(); ++v) {
        if (grammar.features[i].values[v] != value) continue;
        features[i] = static_cast<uint8_t>(v + 1);
        known = true;
      }
    }
    REQUIRE_MESSAGE(known, value);
  }
  return features;
}

const std::map<std::string, std::string>& all_pairs(const Grammar& grammar,
                                                    const std::string& category,
                                                    const std::vector<std::string>& values) {
  static std::map<std::tuple<const Grammar*, std::string, std::vector<std::string>>,
                  std::map<std::string, std::string>>
      known;
  const auto [place, is_new] = known.try_emplace({&grammar, category, values});
  auto& pairs = place->second;
  if (!is_new) return pairs;
  const Features context = features_named(grammar, values);
  const int32_t number = grammar.category(category);
  const auto count = static_cast<uint64_t>(grammar.categories[static_cast<size_t>(number)].count);
  Writer write(grammar);
  for (uint64_t i = 0; i < count; ++i) {
    const Derivation tree = nth_derivation(grammar, number, i);
    const std::string target = write(tree, 1, context);
    const auto found = pairs.emplace(write(tree, 0, context), target).first;
    CHECK_MESSAGE(found->second == target, found->first);
  }
  return pairs;
}

std::string english_number(int number) {
  static const std::vector<std::string> small{
      "",         "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static const std::vector<std::string> tens{"",      "",      "twenty",  "thirty", "forty",
                                             "fifty", "sixty", "seventy", "eighty", "ninety"};
  const auto at = [](const std::vector<std::string>& words, int i) {
    return words[static_cast<size_t>(i)];
  };
  const auto with_rest = [&](const std::string& head, int rest) {
    if (rest == 0) return head;
    return head + (rest < 100 ? " and " : " ") + english_number(rest);
  };
  if (number >= 1000) return with_rest(at(small, number / 1000) + " thousand", number % 1000);
  if (number >= 100) return with_rest(at(small, number / 100) + " hundred", number % 100);
  if (number < 20) return at(small, number);
  return at(tens, number / 10) + (number % 10 ? "-" + at(small, number % 10) : "");
}

}  // namespace calque
