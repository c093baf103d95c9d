#pragma once
// `toy-text`: endless English documents that need no download, for language models. The first
// sentence of a document introduces a person by name, trade and town; sentences of toy-en-de
// follow, and sentences on the person with the right pronoun; the last line, after a line end,
// repeats trade, name and town. A model that looks back far enough can predict it.
//
//   Clara is a baker from Lyon. The dog sleeps. She likes tea. Peter sold the big car.
//   So says Clara, the baker from Lyon.

#include <cstdint>
#include <string>
#include <vector>

#include "data/toy/toy.h"

namespace calque {

// `count` distinct documents of a split, in random order: a function of the arguments alone, and
// the beginning of any longer list with the same seed. No document is in two splits. The split
// `compositional` has the trades in towns in which the other splits never show them.
std::vector<std::string> toy_text(Split split, int64_t count, uint64_t seed);

}  // namespace calque
