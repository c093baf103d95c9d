#pragma once
// Maps a token to row `id` of a table times sqrt(d_model) (Vaswani et al. 2017, section 3.4); the
// factor makes the vector as large as the positions that are added next. GPT-2 and later models
// have no factor. A copy of the struct is tied: it shares the table.

#include <cmath>
#include <span>
#include <vector>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"
#include "nn/options.h"

namespace calque {

inline void check_ids(const char* model, const char* what, std::span<const int32_t> ids,
                      const Segments& segments) {
  require(std::ssize(ids) == segments.tokens(), "{}: {} {} ids for segments of {} tokens", model,
          ids.size(), what, segments.tokens());
}

struct Embedding {
  Tensor weight;  // [vocabulary, d_model]
  real factor;

  Embedding(const Path& at, int64_t vocabulary, int64_t d_model, bool scaled = true)
      : weight(at.parameter("weight", {vocabulary, d_model}, Role::embedding,
                            embedding_normal(d_model))),
        factor(scaled ? std::sqrt(static_cast<real>(d_model)) : real(1)) {}

  // [tokens] -> [tokens, d_model]; no_token gives zeros.
  Tensor operator()(std::span<const int32_t> ids) const { return embedding(weight, ids, factor); }
};

// The ids that the decoder reads: with DecoderStart::zero, no_token replaces the id at position 0
// of each sentence. Sentence i begins at position starts[i], or at 0 if starts is empty.
std::vector<int32_t> decoder_reads(DecoderStart start, std::span<const int32_t> ids,
                                   const Segments& segments, std::span<const int32_t> starts = {});

// The embeddings of a translator; options.tying determines whether they share a table.
template <class Options>
Embedding make_source_embedding(const Path& at, const Options& options, int64_t d_model,
                                bool scaled = true) {
  const char* name = options.tying == Tying::all ? "embedding" : "source_embedding";
  return {at / name, options.source_vocabulary, d_model, scaled};
}

template <class Options>
Embedding make_target_embedding(const Path& at, const Options& options, const Embedding& source) {
  if (options.tying == Tying::all) return source;
  Embedding own(at / "target_embedding", options.target_vocabulary, source.weight.cols());
  own.factor = source.factor;
  return own;
}

}  // namespace calque
