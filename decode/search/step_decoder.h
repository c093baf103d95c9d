#pragma once
// The interface between decoding and models: search and sampling run a model through it, one token
// of each hypothesis at a time.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/products/blas.h"
#include "core/tensor.h"

namespace calque {

// The input of one step: row r reads token ids[r], and its scores are those of the next token.
struct DecodingStep {
  std::vector<int32_t> ids;
  std::vector<int32_t> items;  // the index of row r's item within the batch
  // The row of the previous step that row r continues; empty in the first step.
  std::vector<int32_t> parents;
};

class StepDecoder {
 public:
  virtual ~StepDecoder() = default;

  // Scores before the softmax: [rows, vocabulary]. The caller may overwrite them.
  virtual Tensor step(const DecodingStep& step) = 0;

  // From now on the scores are those of these tokens, in this order; steps have about `rows` rows.
  // Returns false, and changes nothing, if the decoder always computes all scores.
  virtual bool limit_outputs(std::span<const int32_t> /*outputs*/, int64_t /*rows*/) {
    return false;
  }
};

// A model bound to the inputs of all items (sources or prompts). Several models form an ensemble,
// whose probabilities are averaged.
struct DecodingModel {
  // Returns the decoder of a batch: the items with these indices. Called from several threads.
  std::function<std::unique_ptr<StepDecoder>(std::span<const size_t> items)> start;
  int64_t vocabulary = 0;
  // How many tokens the model can read for each item, including the first. Empty: no limit.
  std::vector<int64_t> positions;
  // The weights that every step multiplies with, for PackedWeights.
  std::vector<Matrix> right_sides;
  // Those of steps without limit_outputs() too.
  std::vector<Matrix> output_right_sides;
};

}  // namespace calque
