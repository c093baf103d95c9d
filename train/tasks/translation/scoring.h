#pragma once
// The log-probabilities that a trained translator assigns to given translations.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decode/score.h"
#include "train/tasks/translation/search.h"

namespace calque {

// Names a text of a pair in an error, such as "test.de:17".
using PlaceOfText = std::function<std::string(PairSide side, size_t pair)>;

// The score of each target, given its source. Throws an Error for a text that is not UTF-8 or
// exceeds the learned positions.
std::vector<SequenceScore> score_texts(const TranslationRun& run,
                                       std::span<const std::string> sources,
                                       std::span<const std::string> targets,
                                       const PlaceOfText& place);

}  // namespace calque
