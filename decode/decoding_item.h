#pragma once
// What is written for one input: where it starts, how long it may become, and which tokens may come
// next. Search and sampling share these rules.

#include <cstdint>
#include <span>
#include <vector>

#include "core/real.h"
#include "data/vocabulary.h"

namespace calque {

struct DecodingItem {
  int32_t first = begin_id;     // the token that is read first
  std::vector<int32_t> prefix;  // the output begins with it, whatever the lengths and rules say
  int64_t shortest = 0;         // lengths are in tokens written, without </s>
  int64_t longest = 1;
  int64_t number = 0;            // determines what is drawn for it
  int64_t expected = 1;          // about how many tokens it will write, to form equal batches
  int64_t input = 0;             // length of its source or prompt; a batch has similar ones
  int64_t prefill = 0;           // tokens read before the first step that fill a batch too
  std::vector<int32_t> context;  // tokens before the output that count as repeated
};

struct TokenRules {
  bool allow_unknown = false;   // whether <unk> may be written
  int64_t no_repeat_ngram = 0;  // no n-gram of this length is written twice; 0: no limit
};

// Sets the scores of all tokens that must not follow `written` to minus infinity. At the longest
// length only </s> is left.
void forbid_tokens(const DecodingItem& item, const TokenRules& rules,
                   std::span<const int32_t> written, std::span<real> scores);

}  // namespace calque
