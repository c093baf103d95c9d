#pragma once
// BLEU by the length of the sentences, to see whether a model translates long ones worse.

#include <string>
#include <vector>

#include "train/metrics/translation/bleu.h"

namespace calque {

struct LengthScore {
  int64_t shortest = 0, longest = 0;  // words of the source
  int64_t sentences = 0;
  BleuScore bleu;
};

// Groups the sentences by the number of words in the source: up to `width`, `width` + 1 to 2
// `width`, and so on, without empty groups. White space separates words.
std::vector<LengthScore> bleu_by_length(const std::vector<std::string>& sources,
                                        const std::vector<std::string>& outputs,
                                        const std::vector<std::string>& references,
                                        const BleuOptions& options, int64_t width = 5);

// One line for each score.
std::string to_text(const std::vector<LengthScore>& scores);

}  // namespace calque
