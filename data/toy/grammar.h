#pragma once
// A synchronous grammar: one tree, written in two languages. It is read from a text file whose form
// docs/toy-languages.md describes; the engine knows words, features and templates, and no language.
//
// A category is a list of words or of rules. A rule names its children, and for each side the lines
// that say in which order they are written and which features they get. Features rise from the
// children marked ^ to their parent, and fall from the parent to all of its children.

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

// For each feature one of its values, counted from 1, or 0 where it has none.
using Features = std::array<uint8_t, most_features>;

// Writes the values that `upper` has over those of `lower`.
inline void overlay(Features& lower, const Features& upper) {
  for (size_t i = 0; i < lower.size(); ++i) lower[i] = upper[i] ? upper[i] : lower[i];
}

struct Feature {
  std::string name;
  std::vector<std::string> values;
};

// The smallest thing that is written, kept once. Rewriting looks at tokens, joining at their texts.
struct Token {
  std::string text;          // without the signs below
  bool joins_left = false;   // "+x": no space before it
  bool joins_right = false;  // "x+": no space after it
  uint32_t letters = 0;      // the letter sets its first letter is in, one bit each
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
  std::string name;  // what the file calls it: its first part on the source side
  Features features{};
  std::array<Forms, 2> forms;
  int64_t weight = 1;
  int line = 0;
};

// One thing in a template, with the features it gets on top of those of its surroundings.
struct Item {
  enum class Kind : uint8_t { literal, child, table };
  Kind kind = Kind::literal;
  int32_t index = 0;            // of the token, the child or the table
  std::vector<int32_t> agrees;  // with these children, in this order
  Features set{};               // and then these
};

// A line of one side. The guard has a bit for each allowed value of a feature, 0 where any will do.
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

// left right -> result. Either `right` is a token and both are replaced, or it is a letter set that
// the next token must begin with, and only the left one is.
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
  std::unordered_set<int64_t> unseen;  // combinations that training must not show
  int32_t start = 0;

  // A word in a construction, as one number.
  int64_t combination(int32_t label, int32_t word) const {
    return label * static_cast<int64_t>(words.size()) + word;
  }
  // The number of a category, such as "NP<Person>"; an Error if there is none.
  int32_t category(std::string_view name) const;
};

// Reads a grammar; `file` is the name that messages use.
Grammar parse_grammar(std::string_view text, std::string file);

}  // namespace calque
