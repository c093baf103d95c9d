#pragma once
// Decodes items in batches on all threads, with one model or an ensemble. Search and sampling
// differ only in what they do with the scores of a step.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decode/search/item.h"
#include "decode/search/step_decoder.h"

namespace calque {

// The indices of the items of each batch. Each item has `hypotheses` rows in its batch.
std::vector<std::vector<size_t>> batches_of(std::span<const DecodingItem> items, int64_t hypotheses,
                                            int64_t batch_tokens);

// The items, with lengths limited to the positions of every model. `last_is_read`: the model also
// reads the last token, to predict </s>, so that token takes a position. Prefixes are not
// shortened.
std::vector<DecodingItem> within_positions(std::span<const DecodingModel> models,
                                           std::span<const DecodingItem> items, bool last_is_read);

// Requires at least one model, models with vocabularies of one size, and items with tokens in that
// vocabulary.
void check(std::span<const DecodingModel> models, std::span<const DecodingItem> items);

// Calls decode() with the item indices of each batch that `which` selects, in parallel. `done` gets
// the number of items finished so far; its calls do not overlap.
void for_batches(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
                 int64_t hypotheses, int64_t batch_tokens, const BatchSelection& which,
                 const std::function<void(int64_t)>& done,
                 const std::function<void(std::span<const size_t>)>& decode);

// The models as one StepDecoder. The scores of an ensemble are the logarithms of the mean
// probabilities; the scores of a single model are unchanged.
std::unique_ptr<StepDecoder> start_together(std::span<const DecodingModel> models,
                                            std::span<const size_t> items);

}  // namespace calque
