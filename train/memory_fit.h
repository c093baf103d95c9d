#pragma once
// Fitting a step into memory: into how many pieces its batches must be split, which is known before
// training starts, and the pieces.

#include <vector>

#include "data/batch.h"
#include "nn/summary.h"
#include "train/config/config.h"

namespace calque {

// The batch that a summary of this config's model is for: full, of sentences with so many tokens.
SummaryBatch summary_batch(const Config& config, double source_length = 25,
                           double target_length = 25);

// By the costliest batch that the config allows: filled to batch_tokens, or with batch_sentences of
// data.max_length. 1 without a training.memory_limit. An Error if no pieces would fit.
int64_t pieces_for_memory(const Config& config, const TransformerOptions& options);

// How many of a batch's tokens one of its pieces has at most: its share, and a sixteenth more
// because sentences stay whole.
int64_t largest_piece(int64_t tokens, int64_t pieces);

// A batch as batches of whole sentences, `pieces` of them wherever sentences are short beside a
// piece: a sentence goes where its middle lies. None has more target tokens than the largest piece
// may have, unless it is a single sentence.
std::vector<Batch> split_batch(const Batch& batch, int64_t pieces);

}  // namespace calque
