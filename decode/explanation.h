#pragma once
// What a model computed for one sentence: plain data, filled during decoding and drawn elsewhere.
// Nothing is summarised: it holds the full distributions and the weights of every head.

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

// One head of one attention. Each row is a query and sums to one over its keys.
struct ExplainedHead {
  int layer = 0;  // from 0, bottom up
  int head = 0;   // from 0
  ExplainedMatrix weights;
};

// The result of a step of a beam search for one new hypothesis.
enum class BeamFate {
  pruned,    // was considered, but fell out of the beam
  kept,      // stayed in the beam and was continued
  finished,  // ended the sentence and was set aside
  best,      // finished, and is the translation that was returned
};

struct BeamNode {
  int parent = -1;            // index of the node it continues, or -1: the empty hypothesis
  int32_t token = 0;          // the token added to the parent
  float log_probability = 0;  // of the whole hypothesis up to here
  float score = 0;            // what hypotheses are ranked by, length penalty included
  BeamFate fate = BeamFate::pruned;
};

// The tokens with the most similar embeddings, by the cosine, the nearest first.
struct NearTokens {
  int32_t token = 0;
  std::vector<NearRow> nearest;
};

struct Explanation {
  std::string source;       // the sentence as it was typed
  std::string translation;  // detokenised
  std::string model;        // one line about the model: name, step, size

  std::vector<std::string> vocabulary;  // the text of every token; ids index it
  std::vector<int32_t> source_tokens;   // what the encoder read, with </s>; empty: no encoder
  std::vector<int32_t> target_tokens;   // what the decoder wrote, with </s> where it ended
  int64_t given = 0;  // how many of target_tokens were given, as a language model's prompt is

  // logits[t][id]: before softmax, for the token at target position t. The decoder had read <s> and
  // target_tokens[0 .. t-1] by then, so row t of the two decoder attentions is the same moment.
  std::vector<std::vector<float>> logits;

  std::vector<ExplainedHead> encoder_self;  // [source, source]
  // [target, target]: the keys are <s>, target_tokens[0 .. n-2]
  std::vector<ExplainedHead> decoder_self;
  std::vector<ExplainedHead> cross;  // [target, source]

  ExplainedMatrix positions;           // [positions, d_model]: what is added to the embeddings
  std::vector<NearTokens> neighbours;  // of the tokens in the decoder's table of embeddings
  std::vector<BeamNode> beam;          // parents before children; empty when the search was greedy
};

}  // namespace calque
