#pragma once
// Greedy and beam search over any StepDecoder. Each step computes one more token of every
// unfinished hypothesis of a batch of items.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/named.h"
#include "decode/explanation.h"
#include "decode/search/item.h"
#include "decode/search/step_decoder.h"

namespace calque {

struct SearchOptions : TokenRules {
  // How the log-probability of a hypothesis becomes its score:
  //   wu     log p / ((5 + length) / 6)^a      (Wu et al. 2016)
  //   power  log p / length^a                  (fairseq, Marian, CTranslate2)
  //   none   log p
  // where a is length_penalty and the length includes </s>.
  enum class Penalty { wu, power, none };
  // When an item is done:
  //   optimal  no unfinished hypothesis can still be among the n best
  //   first    the number of finished hypotheses reaches the beam size
  //   never    only at the longest length
  //   narrow   the beam is empty: each finished hypothesis reduces its size by one (Marian)
  // Greedy search stops at </s>.
  enum class Stop { optimal, first, never, narrow };

  int64_t beam = 1;  // 1: greedy
  Penalty penalty = Penalty::power;
  double length_penalty = 1;
  Stop stop = Stop::optimal;
  int64_t n_best = 1;
  int64_t batch_tokens = 4096;  // approximate number of tokens in a batch, over all hypotheses
  BatchSelection batches = {};  // items of other batches get no hypotheses
  // If set, a search over one item appends all hypotheses that it considers, parents before
  // children.
  std::vector<BeamNode>* trace = nullptr;
};

inline constexpr Named<SearchOptions::Penalty> length_penalties[] = {
    {"wu", SearchOptions::Penalty::wu},
    {"power", SearchOptions::Penalty::power},
    {"none", SearchOptions::Penalty::none}};
inline constexpr Named<SearchOptions::Stop> stop_rules[] = {
    {"optimal", SearchOptions::Stop::optimal},
    {"first", SearchOptions::Stop::first},
    {"never", SearchOptions::Stop::never},
    {"narrow", SearchOptions::Stop::narrow}};

struct Hypothesis {
  std::vector<int32_t> ids;  // without </s>
  double log_probability = 0;
  double score = 0;
  int32_t node = -1;      // its index in the trace, if there is one
  bool finished = false;  // false: cut off at the longest length, or no token was allowed
};

// The score of a hypothesis; `length` includes </s>.
double hypothesis_score(const SearchOptions& options, double log_probability, int64_t length);

// The n best hypotheses of each item that were found, best first, in the order of the items. `done`
// gets the number of finished items, from any thread, one call at a time.
std::vector<std::vector<Hypothesis>> search(std::span<const DecodingModel> models,
                                            std::span<const DecodingItem> items,
                                            const SearchOptions& options,
                                            const std::function<void(int64_t)>& done = {});

}  // namespace calque
