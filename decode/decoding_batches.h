#pragma once
// How items are decoded in batches: which are decoded together, on which thread, and by all models
// of an ensemble. Search and sampling differ only in what they do with the scores of a step.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decode/decoding_item.h"
#include "decode/step_decoder.h"

namespace calque {

// The numbers of the items that are decoded together, batch by batch, when each item has so many
// hypotheses.
std::vector<std::vector<size_t>> batches_of(std::span<const DecodingItem> items, int64_t hypotheses,
                                            int64_t batch_tokens);

// The items, with lengths that every model has positions for. The last token written takes one only
// if it is read too, for </s> after it. Prefixes have to keep to that themselves.
std::vector<DecodingItem> within_positions(std::span<const DecodingModel> models,
                                           std::span<const DecodingItem> items, bool last_is_read);

// Throws unless there is a model, all have one vocabulary, and every token of the items is in it.
void check(std::span<const DecodingModel> models, std::span<const DecodingItem> items);

// Calls decode() with the numbers of each batch, each thread with batches of its own. `done` gets
// the number of items that are finished, one call at a time.
void for_batches(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
                 int64_t hypotheses, int64_t batch_tokens, const std::function<void(int64_t)>& done,
                 const std::function<void(std::span<const size_t>)>& decode);

// The models of an ensemble as one StepDecoder, whose scores are the logarithms of their mean
// probabilities; those of a single model stay as they are.
std::unique_ptr<StepDecoder> start_together(std::span<const DecodingModel> models,
                                            std::span<const size_t> items);

}  // namespace calque
