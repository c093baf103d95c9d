#pragma once
// Conversations as a dataset of two columns: the ids of a conversation, and the runs of ids that
// the model is trained to predict (TurnTokens::Encoded). A conversation is one example, whole:
// batches are packed, so short ones need no padding, and one with more than `context` steps is
// dropped, counted and named as too long.

#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "data/conversations/json_lines.h"
#include "data/conversations/turn_tokens.h"
#include "data/datasets/dataset.h"

namespace calque {

// Throws an Error for a file that cannot be read, for a line that is no conversation or that the
// turn format cannot hold, with its file and line, and if no conversation is left.
Dataset load_conversations(const std::vector<ConversationSource>& sources,
                           const Tokenizer& tokenizer, const TurnOptions& turns,
                           const ConversationOptions& options);

// The examples of such a dataset have two columns: the ids that the model reads, and the ids that
// it is trained to predict, or no_answer where it is not trained.
inline constexpr int32_t no_answer = -1;
ExampleSet conversation_examples(const Dataset& dataset);
// Turns ids and runs of a conversation into these columns.
void to_columns(std::vector<int32_t>& ids, std::vector<int32_t>& runs);
inline bool is_of_conversations(const Dataset& dataset) { return dataset.tokens->columns() == 2; }

// The texts of at most `most` conversations, for training a tokenizer.
std::vector<std::string> conversation_texts(const std::vector<ConversationSource>& sources,
                                            const TurnOptions& turns, int64_t most);

}  // namespace calque
