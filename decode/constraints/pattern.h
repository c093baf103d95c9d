#pragma once
// What a text may be, as a tree: sets of characters, sequences, choices, repetitions and lists with
// separators. A tree may refer to rules, and the rules to each other and to themselves. Regular
// expressions and JSON schemas become such trees.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/code_points.h"

namespace calque {

struct Pattern {
  static constexpr int64_t unlimited = -1;

  enum class Kind {
    characters,  // one of `characters`
    sequence,    // the parts one after the other; without parts the empty text
    choice,      // one of the parts; without parts no text at all
    repeat,      // the only part, from `least` to `most` times
    list,        // the parts after the first, with the first between any two
    rule         // what the rule with the number `rule` describes
  };

  Kind kind = Kind::sequence;
  CodePointSet characters = {};
  std::vector<Pattern> parts = {};
  int64_t least = 1, most = 1;  // how often; also of a part of a list that is a `repeat`
  int32_t rule = 0;

  static Pattern one_of(CodePointSet characters);
  static Pattern text(std::string_view utf8);
  static Pattern sequence(std::vector<Pattern> parts);
  static Pattern choice(std::vector<Pattern> parts);
  static Pattern repeat(Pattern part, int64_t least, int64_t most = unlimited);
  static Pattern optional(Pattern part) { return repeat(std::move(part), 0, 1); }
  // Elements that are a repetition occur that often, each time as an element of its own.
  static Pattern list(Pattern separator, std::vector<Pattern> elements);
  static Pattern refer(int32_t rule);
};

struct Grammar {
  std::vector<Pattern> rules;  // the first describes the whole text
  // Texts that may follow the whole text and end it, such as the marker after an answer.
  std::vector<std::string> closings = {};
};

}  // namespace calque
