#pragma once
// A synchronous grammar: each tree has a text in each of two languages. docs/toy-languages.md
// describes its file format. The code handles words, features and templates, and is independent of
// the languages.
//
// A category is a list of words or of rules. A rule names its children, and the templates of each
// side give their order and features. Children marked ^ pass their features up to the parent, and
// the parent passes its features down to all of its children.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace calque {

inline constexpr int most_features = 16;
inline constexpr int most_children = 8;

// For each feature the number of a value, counting from 1, or 0 for none.
using Features = std::array<uint8_t, most_features>;

// Replaces the values of `lower` with those that `upper` has.
inline void overlay(Features& lower, const Features& upper) {
  for (size_t i = 0; i < lower.size(); ++i) lower[i] = upper[i] ? upper[i] : lower[i];
}

struct Feature {
  std::string name;
  std::vector<std::string> values;
};

// The smallest unit of output. Equal tokens have one index.
struct Token {
  std::string text;          // without the + signs below
  bool joins_left = false;   // "+x": no space before it
  bool joins_right = false;  // "x+": no space after it
  uint32_t letters = 0;      // a bit for each letter set that has its first letter
};

inline constexpr int32_t no_token = -1;

// The forms of a word: one token for each combination of the values of some features.
struct Forms {
  struct Axis {
    uint8_t feature;
    int32_t stride;
  };
  std::vector<Axis> axes;
  std::vector<int32_t> tokens;
};

struct Word {
  std::string name;  // its first part on the source side
  Features features{};
  std::array<Forms, 2> forms;
  int64_t weight = 1;
  int line = 0;
};

// An element of a template, and the features that replace those of its parent.
struct Item {
  enum class Kind : uint8_t { literal, child, table };
  Kind kind = Kind::literal;
  int32_t index = 0;            // of the token, the child or the table
  std::vector<int32_t> agrees;  // children whose features it takes, in this order
  Features set{};               // the features that it takes after them
};

// A line of one side. The guard has a bit for each allowed value of a feature; 0 allows all.
struct Template {
  std::array<uint32_t, most_features> guard{};
  std::vector<Item> items;
};

struct Rule {
  std::vector<int32_t> children;  // categories
  uint32_t heads = 0;             // a bit for each child marked ^
  Features features{};
  int32_t label = 0;  // of the construction; 0 is none
  int64_t weight = 1;
  std::array<std::vector<Template>, 2> sides;
  int line = 0;
};

// Alternatives are either all words or all rules.
struct Category {
  std::string name;
  std::vector<int32_t> words;
  std::vector<Rule> rules;
  std::vector<int64_t> bounds;  // running sums of the weights
  double count = 0;             // of its derivations
};

// left right -> result. If `right` is a token, both are replaced; if it is a letter set that the
// next token must begin with, only the left one is.
struct Rewrite {
  int32_t right = no_token;
  uint32_t letters = 0;
  int32_t result = no_token;
};

struct Grammar {
  std::string file;  // for messages
  std::array<std::string, 2> languages;
  std::vector<Feature> features;
  std::vector<Token> tokens;
  std::vector<Word> words;
  std::vector<Forms> tables;
  std::vector<Category> categories;
  std::vector<std::string> labels;
  std::array<std::unordered_map<int32_t, std::vector<Rewrite>>, 2> rewrites;  // by left token
  std::unordered_set<int64_t> unseen;  // combinations held out of training
  int32_t start = 0;

  // A word in a construction, as one number.
  int64_t combination(int32_t label, int32_t word) const {
    return label * std::ssize(words) + word;
  }
  // The index of a category such as "NP<Person>". Throws an Error if there is none.
  int32_t category(std::string_view name) const;
};

// Reads a grammar; `file` is its name in messages.
Grammar parse_grammar(std::string_view text, std::string file);

}  // namespace calque
