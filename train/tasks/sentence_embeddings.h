#pragma once
// Embeddings of texts: the mean of a model's hidden states over the tokens, scaled to length 1.
//
// An encoder reads <s>, the text, </s>, and the mean is over all of them, as in
// sentence-transformers. A language model reads <s> and the text, and the mean is over the tokens
// of the text: the state of <s> is the same for all texts.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/segments.h"
#include "core/tensor.h"
#include "nn/models/encoder.h"

namespace calque {

// A run that embeds texts. Shares the ownership of its model.
struct SentenceEncoder {
  // The hidden states of packed sequences, after the last norm: [tokens, width].
  std::function<Tensor(std::span<const int32_t> ids, const Segments& segments)> states;
  // The ids of a text, without <s> and </s>.
  std::function<std::vector<int32_t>(const std::string& text)> tokenize;
  bool causal = false;  // a language model
  int64_t width = 0, vocabulary = 0;
  int64_t context = 0;  // the most tokens that the model reads, <s> and </s> included

  // The most ids of a text.
  int64_t longest() const;
};

// Embeds texts of one kind with an encoder. `vocabulary` and `context` are as above.
SentenceEncoder sentence_encoder(std::shared_ptr<const Encoder> encoder, int64_t vocabulary,
                                 int64_t context,
                                 std::function<std::vector<int32_t>(const std::string&)> tokenize);

// The embedding of each text, given by its ids: [texts][width]. A text of more than longest() ids
// is cut at the end.
std::vector<std::vector<real>> sentence_embeddings(const SentenceEncoder& encoder,
                                                   std::span<const std::vector<int32_t>> texts);

}  // namespace calque
