#pragma once
// What a Transformer costs before one is built: parameters, work and memory, part by part, from the
// options alone. This is the arithmetic that papers do in the margin:
//
//   a product with a weight [n, m]      n m parameters, 2 n m FLOPs a token
//   attention of one query to one key   4 d_model FLOPs: the dot products and the weighted sum
//   training                            3 x forward: the gradients of the inputs, and of the
//   weights

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/segments.h"
#include "nn/options.h"

namespace calque {

// How many tokens, and how many of them meet in attention.
struct AttentionWork {
  double source_tokens = 0;
  double target_tokens = 0;
  double source_pairs = 0;  // of a source token and a source token of its sentence
  double target_pairs = 0;  // of a target token and itself or an earlier one
  double cross_pairs = 0;   // of a target token and a source token

  static AttentionWork of(const Segments& source, const Segments& target);
};

// FLOPs of one forward pass on real tokens; norms, softmaxes and the like are not counted.
double forward_flops(const TransformerOptions& options, const AttentionWork& work);

// The batch that a summary is for, the optimiser's numbers for each parameter (Adam: 2), and how
// often the batch goes through the model in a step.
struct SummaryBatch {
  int64_t source_tokens = 4096;
  int64_t target_tokens = 4096;
  double source_length = 25;  // mean tokens of a sentence
  double target_length = 25;
  int64_t moments = 2;
  int64_t passes = 1;
  bool accumulated = false;  // a step has several such batches, whose gradients are summed
};

struct ModelSummary {
  struct Part {
    std::string name;
    int64_t parameters = 0;
    double flops_per_source_token = 0;  // forward
    double flops_per_target_token = 0;
  };
  // Bytes.
  struct Memory {
    double parameters = 0, gradients = 0, optimiser = 0;
    double activations = 0;  // what the tape keeps from the forward for the backward pass
    double working = 0;      // a block of logits and the gradients on their way back, roughly
    bool accumulated = false;
    // Gradients come as activations go, unless an earlier batch has left its own.
    double total() const {
      const double kept = accumulated ? gradients + activations : std::max(gradients, activations);
      return parameters + optimiser + kept + working;
    }
  };
  SummaryBatch batch;
  std::vector<Part> parts;
  Part total;
  Memory memory;

  // As a table for people.
  std::string text() const;
};

ModelSummary summarise(const TransformerOptions& options, const SummaryBatch& batch = {});

}  // namespace calque
