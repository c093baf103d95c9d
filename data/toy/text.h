#pragma once
// `toy-text`: generated English documents for language models. The first sentence introduces a
// person by name, trade and town. Sentences of toy-en-de and sentences about the person follow. The
// last line repeats name, trade and town: a model needs a long context to predict it.
//
//   Clara is a baker from Lyon. The dog sleeps. She likes tea. Peter sold the big car.
//   So says Clara, the baker from Lyon.

#include <cstdint>
#include <string>
#include <vector>

#include "data/toy/toy.h"

namespace calque {

// `count` distinct documents of a split, in random order: a function of the arguments alone, and a
// prefix of any longer list with the same seed. No document is in two splits. A document of the
// split `compositional` has a combination that the other splits never show: of trade and town, or
// of a word and a construction.
std::vector<std::string> toy_text(Split split, int64_t count, uint64_t seed);

}  // namespace calque
