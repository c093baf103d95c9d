#pragma once
// A glossary for a trained translator. A model that was trained with data.terms reads the terms of
// a source with their translations; a translation that still lacks a term is searched again with
// the term as a constraint (decode/constraints/required_phrases.h).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/terms/glossary.h"
#include "decode/constraints/required_phrases.h"
#include "train/tasks/translation/run.h"

namespace calque {

struct TermUse {
  std::shared_ptr<const Glossary> glossary = {};    // null: none
  bool marks = false;                               // the model reads marks
  bool forces = false;                              // what lacks a term is searched again
  std::shared_ptr<const WordBorders> borders = {};  // of the target's tokens, if it forces
  int64_t longest = 0;                              // tokens of a marked source; 0: no limit
};

// Several runs form an ensemble. Throws an Error if they do not read marks and `force` is false.
TermUse term_use(std::span<const TranslationRun> runs, std::shared_ptr<const Glossary> glossary,
                 bool force);

// The text with the first translation of each term, unless it becomes too long.
std::string with_terms(const TermUse& use, const Tokenizer& source, const std::string& text);

// A remark on the terms that the target's vocabulary cannot write, and so are not required; empty
// without such terms.
std::string unwritable_terms(const TermUse& use, const Tokenizer& target);

// What the translation of this text must have, if `translation` lacks a term of it; null otherwise,
// and if the target's vocabulary cannot write the terms.
std::shared_ptr<const RequiredPhrases> missing_terms(const TermUse& use, const Tokenizer& target,
                                                     const std::string& text,
                                                     const std::string& translation);

}  // namespace calque
