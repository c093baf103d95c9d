#pragma once
// Attention sees a set: without help, "dog bites man" is "man bites dog". Positions tell the model
// the order. The paper (section 3.5) adds to the embedding of the token at position p a vector of
// sines and cosines with wavelengths from 2 pi to 10000 * 2 pi. Three tables of them are in use:
//
//   interleaved  (p, 2k) = sin(p f_k)   (p, 2k + 1) = cos(p f_k)     f_k = 10000^(-2k / d)
//   halves       (p, k)  = sin(p f_k)   (p, d/2 + k) = cos(p f_k)    the same f_k
//   t2t          as halves, but f_k = 10000^(-k / (d/2 - 1))
//
// interleaved is the paper's text; halves is what Marian models in Hugging Face and Sockeye
// compute; t2t is tensor2tensor, the paper's own code, and Marian. `learned` replaces the table by
// a parameter. `rotary` adds nothing here: attention turns queries and keys instead
// (nn/attention.h).

#include <cstdint>
#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/options.h"

namespace calque {

// The rows of a sinusoidal kind from position `first` on: [positions, d_model].
Tensor sinusoids(PositionKind kind, int64_t positions, int64_t d_model, int64_t first = 0);

struct Positions {
  PositionKind kind;
  Tensor table;  // [max_positions, d_model]; absent for `rotary` and `none`

  Positions(const Path& at, const LayerOptions& options);

  // x with each token's position added: [tokens, d_model] -> the same. Sentence i starts at
  // position starts[i], or at 0 where starts is empty. A sentence longer than learned positions is
  // an Error.
  Tensor operator()(const Tensor& x, const Segments& segments,
                    std::span<const int32_t> starts = {}) const;
};

}  // namespace calque
