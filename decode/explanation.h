#pragma once
// What a model computed for one sentence: plain data, filled during decoding and drawn elsewhere.
// It holds the full distributions and the weights of every head.

#include <cstdint>
#include <string>
#include <vector>

#include "decode/nearest_rows.h"

namespace calque {

// Row-major: values[row * columns + column].
struct ExplainedMatrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<float> values;
};

// One head of one attention. Each row is a query, whose weights over the keys sum to one.
struct ExplainedHead {
  int layer = 0;  // from 0, bottom up
  int head = 0;   // from 0
  ExplainedMatrix weights;
};

// What a step of beam search does with one new hypothesis.
enum class BeamFate {
  pruned,    // was considered, but fell out of the beam
  kept,      // stayed in the beam
  finished,  // ended the sentence and was set aside
  best,      // is the translation that was returned
};

struct BeamNode {
  int parent = -1;            // index of the node it continues, or -1: the empty hypothesis
  int32_t token = 0;          // the token added to the parent
  float log_probability = 0;  // of the whole hypothesis up to here
  float score = 0;            // the score that ranks hypotheses, with the length penalty
  BeamFate fate = BeamFate::pruned;
};

// A token, and the tokens nearest to it by the cosine of their embeddings, nearest first.
struct NearTokens {
  int32_t token = 0;
  std::vector<NearRow> nearest;
};

struct Explanation {
  std::string source;       // the sentence as it was typed
  std::string translation;  // detokenised
  std::string model;        // one line about the model: name, step, size

  std::vector<std::string> vocabulary;  // the text of every token; ids index it
  std::vector<int32_t> source_tokens;   // what the encoder read; empty: no encoder
  std::vector<int32_t> target_tokens;   // what the decoder wrote, with </s> if it ended
  int64_t given = 0;  // how many of target_tokens belong to a language model's prompt

  // logits[t][id]: before softmax, for the token at target position t. The decoder had read <s> and
  // target_tokens[0 .. t-1] by then, so row t of decoder_self and cross belongs to the same step.
  std::vector<std::vector<float>> logits;

  std::vector<ExplainedHead> encoder_self;  // [source, source]
  // [target, target]: the keys are <s>, target_tokens[0 .. n-2]
  std::vector<ExplainedHead> decoder_self;
  std::vector<ExplainedHead> cross;  // [target, source]

  ExplainedMatrix positions;           // [positions, d_model]: what is added to the embeddings
  std::vector<NearTokens> neighbours;  // of the tokens, in the decoder's embedding table
  std::vector<BeamNode> beam;          // parents before children; empty when the search was greedy
};

}  // namespace calque
