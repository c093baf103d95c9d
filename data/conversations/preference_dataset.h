#pragma once
// Preferences as a dataset of four columns: the ids of the chosen conversation and its runs, and
// those of the rejected one. Of each conversation only the last answer is to be learned. A pair of
// which one conversation has more than `context` steps is dropped, counted and named as too long.

#include <vector>

#include "data/batches/stream.h"
#include "data/conversations/json_lines.h"

namespace calque {

// Throws an Error for a file that cannot be read, for a line that is no preference or that the turn
// format cannot hold, with its file and line, and if no pair is left.
Dataset load_preferences(const std::vector<ConversationSource>& sources, const Tokenizer& tokenizer,
                         const TurnOptions& turns, const ConversationOptions& options);

// The examples of such a dataset have five columns: what the model reads and what it predicts of
// the chosen conversation, as in conversation_examples(), the same of the rejected one, and the
// number of the example.
ExampleSet preference_examples(const Dataset& dataset);
inline bool is_of_preferences(const Dataset& dataset) { return dataset.tokens->columns() == 4; }

}  // namespace calque
