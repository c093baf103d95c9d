#pragma once
// From sources to translations: greedy and beam search. A batch holds the unfinished hypotheses of
// many sentences; every step computes one more token of each, from cached keys and values.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decode/explanation.h"
#include "decode/next_tokens.h"
#include "nn/transformer.h"

namespace calque {

struct SearchOptions {
  // How the log-probability of a hypothesis becomes its score:
  //   wu     log p / ((5 + length) / 6)^a      (Wu et al. 2016)
  //   power  log p / length^a                  (fairseq, Marian, CTranslate2)
  //   none   log p
  // with the length including </s>.
  enum class Penalty { wu, power, none };
  // When a sentence is done: when no unfinished hypothesis can still be among the n best; when as
  // many have finished as the beam is wide; or at the longest length. Greedy stops at </s>.
  enum class Stop { optimal, first, never };

  int64_t beam = 1;  // 1: greedy
  Penalty penalty = Penalty::power;
  double length_penalty = 1;
  Stop stop = Stop::optimal;
  int64_t n_best = 1;
  // Lengths are tokens without </s>. The ratios are of the source's length.
  int64_t min_length = 0;
  double min_length_ratio = 0;  // not where it would go beyond the longest
  int64_t max_length = 0;       // 0: the next two decide alone
  double max_length_ratio = 2;  // at most ratio * source + extra; both 0: no such limit
  int64_t max_length_extra = 50;
  bool allow_unknown = false;   // whether <unk> may be written
  int64_t no_repeat_ngram = 0;  // 0: anything may be said again
  int64_t batch_tokens = 4096;  // about as many are written together, those of all hypotheses
  // Draw n_best independent translations instead of searching for the best. What is drawn depends
  // on the seed, the number of the source and the step alone. The sources have these numbers, or
  // 0, 1, 2, ...
  std::optional<Sampling> sampling;
  const std::vector<int64_t>* numbers = nullptr;
  // What the translation of each source has to begin with, if anything, whatever else the options
  // say of its tokens and its length; as many as there are sources.
  const std::vector<std::vector<int32_t>>* prefixes = nullptr;
  // Where a beam search over one source notes all that it considers: parents before children.
  std::vector<BeamNode>* trace = nullptr;
};

struct Hypothesis {
  std::vector<int32_t> ids;  // without </s>
  double log_probability = 0;
  double score = 0;
  int32_t node = -1;      // in the trace, if there is one
  bool finished = false;  // false: cut off where the options left no token to go on with
};

// The n best hypotheses of each source (ids without </s>), best first, in the order of the sources.
// Several models of one vocabulary vote with the mean of their probabilities. Each thread decodes
// batches of its own. `done` is told the number of finished sentences now and then, from any
// thread, one at a time.
std::vector<std::vector<Hypothesis>> search(std::span<const Transformer* const> models,
                                            const std::vector<std::vector<int32_t>>& sources,
                                            const SearchOptions& options,
                                            const std::function<void(int64_t)>& done = {});

// The numbers of the sources that search() takes together, batch by batch.
std::vector<std::vector<size_t>> batches_of(const std::vector<std::vector<int32_t>>& sources,
                                            const SearchOptions& options);

}  // namespace calque
