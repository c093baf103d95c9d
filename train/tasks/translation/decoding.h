#pragma once
// The decoding settings of a trained translator: those of its config, overridden by its user.

#include <cstdint>
#include <string>
#include <vector>

#include "train/tasks/translation/run.h"

namespace calque {

struct DecodingChoice {
  std::vector<std::string> settings;  // such as "decoding.max_length=100"
  int64_t beam = 0, n_best = 0;       // 0: not given
  int64_t mbr = 0;                    // 0: not given
  std::string mbr_metric = {};        // empty: not given
};

// Returns the config's section `decoding` with the chosen values. Settings and beam are checked
// together, because a setting may require the value of the beam. A beam narrower than `n_best` is
// widened to it. Throws an Error for a value that is not allowed.
DecodingConfig decoding_of(const TranslationRun& run, const DecodingChoice& choice);

}  // namespace calque
