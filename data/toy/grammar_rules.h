#pragma once
// The second part of reading a grammar: rules with their templates, and rewriting.

#include <deque>
#include <string>
#include <vector>

#include "data/toy/grammar.h"
#include "data/toy/grammar_lines.h"
#include "data/toy/grammar_pattern.h"
#include "data/toy/grammar_words.h"

namespace calque {

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
  // rewrite LANGUAGE / LEFT RIGHT -> RESULT, where RIGHT is a token or <letters>
  void read_rewrites(const GrammarBlock& block);

  std::deque<RuleShape>& shapes() { return shapes_; }

 private:
  RuleShape read_alternative(std::vector<std::string> pieces, const GrammarBlock& block);
  void read_child(std::string piece, RuleShape& shape) const;
  void read_template(const GrammarLine& line, RuleShape& shape);
  void read_item(const std::string& piece, const GrammarLine& line, const RuleShape& shape,
                 Template& out);
  Rewrite read_rewrite(const GrammarLine& line);
  int32_t label(const std::string& name);
  size_t side(const std::string& language, const GrammarLine& line) const;

  Grammar& grammar_;
  WordReader& words_;
  std::deque<RuleShape> shapes_;
};

}  // namespace calque
