#pragma once
// The names of categories. A rule may have parameters: the head NP<X> stands for every category
// NP<...>, and an X among the children for the same argument. A single capital is a parameter.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/toy/grammar_lines.h"

namespace calque {

struct Pattern {
  std::string name;
  std::vector<std::string> arguments;
};

// What parameters stand for.
using Bindings = std::map<std::string, std::string, std::less<>>;

// "NP<X>" in its parts; an error of the line if it is not of that form.
Pattern read_pattern(const std::string& text, const GrammarLine& line);

// Whether a head fits a category, and if so, what its parameters then are.
bool matches(const Pattern& head, const Pattern& wanted, Bindings& bindings);

// A category as written, with its parameters replaced.
std::string substitute(std::string_view text, const Bindings& bindings);

}  // namespace calque
