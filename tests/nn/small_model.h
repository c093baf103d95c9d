#pragma once
// A Transformer small enough to check number by number, and batches for it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.h"
#include "nn/models/translator.h"

namespace calque {

// d_model 8, 2 heads, d_ff 12, 2 + 2 layers, a joint vocabulary of 13, no dropout.
TransformerOptions small_options();

// Every combination of norm placement, tying and the activations relu and gelu, and most other
// choices in one model each.
struct Variant {
  std::string name;
  TransformerOptions options;
};
std::vector<Variant> variants();

struct SmallModel {
  Parameters parameters;
  Transformer transformer;

  // Initialised with noise: biases and gains differ from their initial values 0 and 1.
  explicit SmallModel(const TransformerOptions& options, uint64_t seed = 1);
};

// d_model 6, hidden 5, one layer, one joint vocabulary, no dropout.
RecurrentOptions small_recurrent_options(int64_t vocabulary = 13);

struct SmallRecurrent {
  Parameters parameters;
  RecurrentTranslator model;

  explicit SmallRecurrent(const RecurrentOptions& options, uint64_t seed = 1);
};

// Allocates the parameters and initialises them with values other than 0 and 1.
void initialise_with_noise(Parameters& parameters, uint64_t seed);

struct SmallBatch {
  std::vector<int32_t> source, decoder_input, expected;
  Segments source_segments, target_segments;
};

// Random sentences; a pair is the number of tokens that the encoder and the decoder read.
SmallBatch random_batch(const TransformerOptions& options,
                        const std::vector<std::pair<int32_t, int32_t>>& lengths, uint64_t seed = 2);

// The sentences with these numbers, in this order.
SmallBatch chosen_sentences(const SmallBatch& batch, const std::vector<int64_t>& numbers);

TokenLoss loss_of(Translator model, const SmallBatch& batch, real label_smoothing,
                  Mode mode = Mode::evaluate, real agreement = 0);

// Hidden vectors of the decoder: [target tokens, d_model].
Tensor hidden_of(Translator model, const SmallBatch& batch);

// The largest |a - b|, divided by the largest |b|.
double relative_difference(std::span<const real> a, std::span<const real> b);

}  // namespace calque
