#pragma once
// Reads the statements `rule`, with their templates, and `rewrite` of a grammar.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "data/toy/grammar.h"
#include "data/toy/grammar_lines.h"
#include "data/toy/grammar_words.h"

namespace calque {

// A category as written: its name and arguments. In a rule, an argument that is a single capital
// letter is a parameter. The head NP<X> fits every category NP<...> with one argument; each X in
// the children is then replaced by that argument.
struct Pattern {
  std::string name;
  std::vector<std::string> arguments;
};

// The values of the parameters.
using Bindings = std::map<std::string, std::string, std::less<>>;

// Parses "NP<X>". Throws an Error that names the line if the text has another form.
Pattern read_pattern(const std::string& text, const GrammarLine& line);

// Whether a head fits a category; sets the parameters.
bool matches(const Pattern& head, const Pattern& wanted, Bindings& bindings);

// The category with its parameters replaced.
std::string substitute(std::string_view text, const Bindings& bindings);

// A rule before its parameters are known.
struct RuleShape {
  Pattern head;
  std::vector<std::string> children;  // categories
  std::vector<std::string> names;     // what the templates call them
  Rule rule;
  const GrammarLine* line = nullptr;
  bool used = false;
};

class RuleReader {
 public:
  RuleReader(Grammar& grammar, WordReader& words) : grammar_(grammar), words_(words) {}

  // rule HEAD -> CHILD... [VALUE...] *WEIGHT @LABEL | ...
  void read_rule(const GrammarBlock& block);
  // rewrite LANGUAGE, then indented lines LEFT RIGHT -> RESULT. RIGHT is a token, or the name of a
  // letter set in angle brackets.
  void read_rewrites(const GrammarBlock& block);

  std::deque<RuleShape>& shapes() { return shapes_; }

 private:
  RuleShape read_alternative(std::vector<std::string> fields, const GrammarBlock& block);
  void read_child(std::string field, RuleShape& shape) const;
  void read_template(const GrammarLine& line, RuleShape& shape);
  void read_item(const std::string& field, const GrammarLine& line, const RuleShape& shape,
                 Template& out);
  Rewrite read_rewrite(const GrammarLine& line);
  int32_t label(const std::string& name);
  size_t side(const std::string& language, const GrammarLine& line) const;

  Grammar& grammar_;
  WordReader& words_;
  std::deque<RuleShape> shapes_;
};

}  // namespace calque
