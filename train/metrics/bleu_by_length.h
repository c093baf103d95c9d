#pragma once
// BLEU of the sentences of each length, to see whether a model loses the long ones.

#include <string>
#include <vector>

#include "train/metrics/bleu.h"

namespace calque {

struct LengthScore {
  int64_t shortest = 0, longest = 0;  // words of the source
  int64_t sentences = 0;
  BleuScore bleu;
};

// In steps of `width` words: 1 to 5, 6 to 10, and so on, without empty steps. Words are between
// spaces.
std::vector<LengthScore> bleu_by_length(const std::vector<std::string>& sources,
                                        const std::vector<std::string>& outputs,
                                        const std::vector<std::string>& references,
                                        const BleuOptions& options, int64_t width = 5);

// A line for each.
std::string to_text(const std::vector<LengthScore>& scores);

}  // namespace calque
