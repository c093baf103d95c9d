#pragma once
// word2vec (Mikolov et al. 2013). Each word has two vectors: the word vector, which is the result,
// and the context vector, which represents the word when it is predicted. Skip-gram predicts each
// neighbour of a word from its word vector; CBOW predicts a word from the mean of its neighbours'
// word vectors.
//
// Parameters: embedding.weight (word vectors), output.weight (context vectors). As in the original
// program, embedding.weight starts uniform within 0.5 / d_model, and output.weight at 0.

#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"

namespace calque {

struct Word2VecOptions {
  int64_t vocabulary = 0;
  int64_t d_model = 100;

  bool operator==(const Word2VecOptions&) const = default;
};

struct Word2Vec {
  Word2VecOptions options;
  Tensor vectors;   // [vocabulary, d_model]
  Tensor contexts;  // [vocabulary, d_model]

  Word2Vec(const Path& at, const Word2VecOptions& options_)
      : options(options_),
        vectors((at / "embedding")
                    .parameter("weight", {options.vocabulary, options.d_model}, Role::embedding,
                               uniform(real(0.5) / static_cast<real>(options.d_model)))),
        contexts((at / "output")
                     .parameter("weight", {options.vocabulary, options.d_model}, Role::output,
                                zeros())) {}

  // The summed loss of a prediction for each segment of the ids. Prediction i has the candidates
  // [i (1 + n), (i + 1) (1 + n)): the expected word, then n others.
  TokenLoss loss(std::span<const int32_t> ids, const Segments& segments,
                 std::span<const int32_t> candidates) const {
    const Tensor read = embedding(vectors, ids);
    const bool single = segments.count() == segments.tokens() && segments.longest() <= 1;
    return negative_sampling(single ? read : mean_of_segments(read, segments), contexts,
                             candidates);
  }
};

}  // namespace calque
