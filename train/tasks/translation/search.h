#pragma once
// Translates the tokens of texts, in parts if they are long.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decode/translation.h"
#include "train/tasks/translation/run.h"

namespace calque {

// The result of a search. The hypotheses of a source in parts are those of its parts one after the
// other, with the sums of their scores and log-probabilities.
struct FoundTranslations {
  std::vector<int32_t> source;   // the text's tokens
  std::vector<Hypothesis> best;  // best first; only the prefix for a text without tokens
  // Where each part ends in the source, and in the ids of each hypothesis.
  std::vector<size_t> source_ends = {};
  std::vector<std::vector<size_t>> target_ends = {};
};

// Returns the best hypotheses of each source, best first. A source without tokens is not searched,
// `done` does not count it, and its only hypothesis is its prefix. A source of more than
// options.longest_source tokens is translated in parts. Sampling depends on the numbers of the
// sources, which count from `first_number`. Translation i begins with prefixes[i], if prefixes are
// given. A source in parts has no required phrases.
std::vector<FoundTranslations> search_sources(std::span<const Translator> models,
                                              const Tokenizers& tokenizers,
                                              std::vector<std::vector<int32_t>> sources,
                                              const TranslationOptions& options,
                                              std::span<const std::vector<int32_t>> prefixes = {},
                                              int64_t first_number = 0,
                                              const std::function<void(int64_t)>& done = {});

// Returns why a text, which is UTF-8, cannot be translated, or an empty text. It must have at most
// longest_line bytes and fit the learned positions of all runs; a prefix (target) must also have no
// unknown tokens.
enum class PairSide { source, target };
std::string objection_to(std::span<const TranslationRun> runs, const std::string& text,
                         PairSide side = PairSide::source);

// Sets the options that follow from the run: for long sources by what it was trained on, and its
// shortlist.
void limit_sources(const TranslationRun& run, TranslationOptions& options);

// Returns a warning about a source that is longer than any in training, or an empty text. Without a
// record of the longest one, that is a source which is translated in parts.
std::string long_source_warning(int64_t tokens, const TranslationOptions& options);

}  // namespace calque
