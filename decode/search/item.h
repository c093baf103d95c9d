#pragma once
// One input to decode, and the rules for its output that search and sampling share.

#include <cstdint>
#include <span>
#include <vector>

#include "core/real.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/constraints/output_constraint.h"
#include "decode/constraints/required_phrases.h"

namespace calque {

// Selects the batches first, first + step, ...; the items of other batches are not decoded.
struct BatchSelection {
  int64_t first = 0, step = 1;
};

struct DecodingItem {
  int32_t first = begin_id;          // the token that is read first
  std::vector<int32_t> prefix = {};  // forced first tokens; no limit or rule forbids them
  int64_t shortest = 0;              // lengths count the written tokens, without </s>
  int64_t longest = 1;
  int64_t number = 0;                 // selects the random draws
  int64_t expected = 1;               // estimated length, for batches of equal work
  int64_t input = 0;                  // length of the source or prompt; sorts items into batches
  int64_t prefill = 0;                // prompt tokens read before the first step
  std::vector<int32_t> context = {};  // more tokens that the repetition penalty applies to
  ConstrainedText constraint = {};    // what a sample must write; search() has no constraints
  // What a hypothesis of search() must have; samples need not.
  std::shared_ptr<const RequiredPhrases> required = {};
  // The tokens that search() chooses from, sorted, the special ones included; empty: all. An item
  // with some has no prefix and no required phrases.
  std::vector<int32_t> outputs = {};
};

struct TokenRules {
  bool allow_unknown = false;   // whether <unk> may be written
  int64_t no_repeat_ngram = 0;  // no n-gram of this length is written twice; 0: no limit
};

// Sets the scores of all tokens that must not follow `written` to minus infinity. At the longest
// length only </s> is allowed.
void forbid_tokens(const DecodingItem& item, const TokenRules& rules,
                   std::span<const int32_t> written, std::span<real> scores);

}  // namespace calque
