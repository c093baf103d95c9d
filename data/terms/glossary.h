#pragma once
// A glossary: the terms of a source language and their translations. A file has a line for each:
//
//   source TAB translation [TAB another form or translation]...
//
// Lines with the same source belong together. Empty lines are ignored.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/terms/term_forms.h"

namespace calque {

struct Term {
  std::string source;
  std::vector<std::string> targets;  // any of them is right; the first is the one of a dictionary
};

struct FoundTerm {
  TextRange range;  // in the text
  const Term* term;
};

class Glossary {
 public:
  Glossary() = default;
  // Terms with the same source become one.
  explicit Glossary(const std::vector<Term>& terms);

  const std::vector<Term>& terms() const { return terms_; }
  bool empty() const { return terms_.empty(); }
  uint64_t hash() const;

  // The terms in a text, from left to right, of several at one place the longest. Case is ignored.
  // The glossary must outlive the result. Requires well-formed UTF-8.
  std::vector<FoundTerm> find(std::string_view text) const;

 private:
  struct Entry {
    std::vector<std::string> words;
    size_t term;
  };

  std::vector<Term> terms_;
  std::unordered_map<std::string, std::vector<Entry>> by_first_word_;  // the longest first
};

// Returns why a text cannot be the source or a translation of a term, or an empty text.
std::string objection_to_term(std::string_view text);

// Throws an Error for a file without terms, and with its line for one that is no term.
Glossary read_glossary(const std::string& path);

// Whether a translation has the term, in the first form or another one.
TermMatch match_term(const TermText& translation, const Term& term);

}  // namespace calque
